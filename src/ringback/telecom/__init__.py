"""The telecom support world: a mobile carrier, a customer's phone, and what can go wrong."""

from __future__ import annotations

from ringback.domain import Domain
from ringback.telecom.domain import Telecom
from ringback.telecom.solo import SoloTelecom

__all__ = ["domain", "solo"]

domain: Domain = Telecom()
solo: Domain = SoloTelecom()
