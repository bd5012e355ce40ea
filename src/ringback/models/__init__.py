"""Models: naming and opening one, asking it, what it costs."""

from __future__ import annotations

from ringback.models.check import CheckReport, Finding, check
from ringback.models.credentials import CredentialError
from ringback.models.ledger import Ledger
from ringback.models.naming import Models, open_model
from ringback.models.protocol import BudgetSpent, Model, ModelEntry, Opener, PriceEntry
from ringback.models.script import ScriptCall, ScriptModel, ScriptReply

__all__ = [
    "BudgetSpent",
    "CheckReport",
    "CredentialError",
    "Finding",
    "Ledger",
    "Model",
    "ModelEntry",
    "Models",
    "Opener",
    "PriceEntry",
    "ScriptCall",
    "ScriptModel",
    "ScriptReply",
    "check",
    "open_model",
]
