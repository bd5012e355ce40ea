"""The customer of an operated episode: where its model does not answer, the episode waits.

A provider's words may quote the request, and with it what the operator must not read. So none of
them leave here but into the record.
"""

from __future__ import annotations

from msgspec.structs import replace

from ringback.episode.events import ModelCall
from ringback.episode.participants import (
    Aside,
    InfrastructureFailure,
    Participant,
    ParticipantFailure,
    Reply,
    View,
    Visible,
)
from ringback.episode.seeds import Stream
from ringback.errors import InputError, RingbackError
from ringback.models import CredentialError

__all__ = ["Customer", "CustomerAway"]


class CustomerAway(RingbackError):  # noqa: N818 - what it is
    """The customer's model gave no answer. The episode stands, to be gone on with."""


class Customer:
    """A user simulator's participant for one command; `name` is the simulator's name.

    Where the way to a model breaks a run plays the episode again, and where its provider refuses a
    request the customer has failed. Here hours of somebody's work may be in it: the failed calls
    stay in the record, and the next command asks once more. The time limit counts them as ever, so
    this does not go on without end. What the model itself answered, too long or empty as it may be,
    is the customer's fault as in a run. An error of its program, which in a run is its fault too,
    would here take a case from an operator who has done nothing: the episode stands as well.
    """

    def __init__(self, inner: Participant, name: str, session: str) -> None:
        self._inner, self._name = inner, name
        self._stands = f"Episode {session} stands where it was, and can be gone on with."
        self._asked = False
        self.keeps_time = getattr(inner, "keeps_time", False) is True

    async def act(self, view: View, random: Stream) -> Reply | Aside:
        """The inner one's turn; raises `CustomerAway` where its model gave none in this command.

        Raises `CredentialError` and `InputError` as the inner one does, in words of ours.
        """
        failed_now = self._asked and bool(view.events) and _failed(view.events[-1])
        if not failed_now:  # else the inner one says why
            view = replace(view, events=[each for each in view.events if not _failed(each)])
        self._asked = True
        try:
            return await self._inner.act(view, random)
        except InfrastructureFailure:
            raise CustomerAway(
                f"The customer did not answer: {self._name} could not be reached, or what came was "
                f"no answer; `ringback models check {self._name}` tries it by itself. "
                f"{self._stands}"
            ) from None
        except ParticipantFailure:
            if not failed_now:
                raise
            raise CustomerAway(
                f"The customer did not answer: the provider of {self._name} refused the request; "
                f"why is in the record. {self._stands}"
            ) from None
        except CredentialError as problem:
            how = problem.outcome + ("" if problem.status is None else f" (HTTP {problem.status})")
            raise CredentialError(
                f"The customer was not asked: the key of {self._name} is {how}. {self._stands}",
                problem.outcome,
                status=problem.status,
                words=problem.words,
            ) from None
        except InputError:
            raise InputError(
                f"The customer could not be asked: {self._name} cannot be used as it is set up; "
                f"`ringback models check {self._name}` says why. {self._stands}"
            ) from None
        except (RingbackError, TimeoutError):
            raise
        except Exception as problem:  # noqa: BLE001 - a customer may be foreign code
            raise CustomerAway(
                f"The customer did not answer: its program {self._name} failed "
                f"({type(problem).__name__}). {self._stands}"
            ) from None


def _failed(event: Visible) -> bool:
    """Whether it is a call to which the model gave no answer: what it answered has a finish."""
    if not isinstance(event, ModelCall):
        return False
    answer = event.answer
    return answer.message is None and (
        answer.failure in (None, "infrastructure", "malformed") or answer.finish is None
    )
