"""What went wrong with a call, in our words: worth another try, final, or the user's to mend."""

from __future__ import annotations

from pydantic_ai import exceptions as theirs
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from ringback.errors import InputError
from ringback.models.bounds import ReplyTooLong
from ringback.models.causes import causes, no_header, refuses_tls, words
from ringback.models.credentials import CredentialError
from ringback.models.patience import Fault
from ringback.models.secrecy import Redactor

__all__ = ["problem_of", "refusal_of"]

_AGAIN = (408, 409, 425)
_NO_KEY = 401
_REFUSED = ("content_policy", "content_filter", "safety")
"""In an error's code or type: the provider will not have the content."""
_FLAGGED = ("content_policy", "content policy", "content_filter", "moderation", "flagged")
"""The same in the words of an error; some say it with the status of a key that is refused."""


def problem_of(problem: Exception, model: str, key: str, redactor: Redactor) -> Fault | InputError:
    """The fault that an exception of the client library stands for.

    `model` is the name as asked for and `key` where its key comes from, for the sentence of an
    `InputError`: a key that is refused, credits that are gone and a model that is not there are
    the user's to put right, and no fault of whoever was speaking.
    """
    why = redactor.error(words(problem))
    if any(isinstance(cause, ReplyTooLong) for cause in causes(problem)):
        return Fault("malformed", why, charged=True)
    if no_header(problem):
        return InputError(
            f"{model} cannot be asked: {key} or a setting in extra_headers holds a character that "
            "no header can, such as a line break or an accented letter; put it right there."
        )
    if refuses_tls(problem):
        return InputError(
            f"{model} cannot be asked over TLS: {why}; check its address, or name the authority "
            "that signed its certificate in SSL_CERT_FILE."
        )
    match problem:
        case theirs.ModelRequestRejectedError() if _flagged(problem):
            return Fault("refusal", why)
        case theirs.ModelAuthenticationError():
            status = problem.status_code if isinstance(problem, theirs.ModelHTTPError) else None
            return CredentialError(
                f"The provider of {model} refuses {key}: {why}", "refused", status=status, words=why
            )
        case theirs.ModelQuotaExceededError():
            return InputError(f"The account behind {key} cannot pay for {model}: {why}")
        case theirs.ModelNotFoundError():
            return InputError(f"There is no model {model} at its provider: {why}")
        case theirs.ModelContextWindowExceededError():
            return Fault("context_overflow", why)
        case theirs.ModelRequestRejectedError():
            return Fault("rejected", why)
        case theirs.ModelConnectionError():
            sent = problem.phase not in ("pool", "connect")
            away = problem.phase == "connect"
            return Fault("infrastructure", why, again=True, charged=sent, unreached=away)
        case (
            theirs.ModelRateLimitError()
            | theirs.ModelUnavailableError()
            | theirs.ModelServerError()
        ):
            return Fault("infrastructure", why, again=_may_retry(problem), wait=problem.retry_after)
        case theirs.ModelHTTPError():
            status = problem.status_code
            # A status from 300 on is of a gate or proxy on the way, not of a model's service.
            again = status in _AGAIN or status >= 500 or status < 400
            failure = "infrastructure" if again else "rejected"
            return Fault(failure, why, again=again, wait=problem.retry_after)
        case theirs.ContentFilterError():
            return Fault("refusal", why, charged=True)
        case theirs.ModelAPIError():
            return Fault("infrastructure", why, again=True, charged=True)
        case theirs.UnexpectedModelBehavior():
            return Fault("malformed", why, again=True, charged=True)
        case theirs.UserError():
            return InputError(f"{model} cannot be asked this way: {why}")
        case OSError():
            return Fault("infrastructure", why, again=True, charged=True)
        case _:
            return Fault("malformed", why, again=True, charged=True)


def refusal_of(response: ModelResponse) -> str | None:
    """Why the provider would not answer, None where it did.

    What it said before its filter cut it off is an answer.
    """
    if response.finish_reason != "content_filter":
        return None
    if any(isinstance(part, TextPart | ToolCallPart) for part in response.parts):
        return None
    details = response.provider_details or {}
    return str(details.get("refusal") or "The provider's content filter gave no reply.")


def _flagged(problem: theirs.ModelRequestRejectedError) -> bool:
    if isinstance(problem, theirs.ModelContextWindowExceededError | theirs.ModelNotFoundError):
        return False
    if isinstance(problem, theirs.ModelHTTPError) and problem.status_code == _NO_KEY:
        return False
    code = f"{problem.provider_error_code} {problem.provider_error_type}".lower()
    words = f"{code} {problem.body}".lower()
    return any(word in code for word in _REFUSED) or any(word in words for word in _FLAGGED)


def _may_retry(problem: theirs.ModelAPIError) -> bool:
    hint = problem.provider_retry_hint if isinstance(problem, theirs.ModelHTTPError) else None
    return hint is not False
