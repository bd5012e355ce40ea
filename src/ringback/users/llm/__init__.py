"""A model as the customer, with or without a guard that looks at what it would say."""

from __future__ import annotations

from ringback.users.llm.customer import LlmUser
from ringback.users.llm.settings import LlmUserSettings

__all__ = ["LlmUser", "LlmUserSettings"]
