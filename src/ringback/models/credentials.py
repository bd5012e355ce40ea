"""A credential that is not there or not taken: the user's to put right, and worth noting."""

from __future__ import annotations

from typing import Literal

from ringback.errors import InputError

__all__ = ["CredentialError"]


class CredentialError(InputError):
    """A model cannot be asked because of its credential.

    `outcome` is ``missing`` where there is none to send, ``refused`` where the provider would not
    take it; `status` is the HTTP status, None where there was none; `words` says more in short.
    Nothing in it holds the credential.
    """

    def __init__(
        self,
        sentence: str,
        outcome: Literal["missing", "refused"],
        *,
        status: int | None = None,
        words: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.outcome: Literal["missing", "refused"] = outcome
        self.status = status
        self.words = words
