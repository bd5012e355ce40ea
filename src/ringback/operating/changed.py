"""Whether an episode that was begun can be gone on with here: what it was begun with is needed."""

from __future__ import annotations

from ringback import users
from ringback.episode.episode import Episode
from ringback.episode.events import Setup
from ringback.episode.identity import arm, condition
from ringback.episode.participants import User
from ringback.errors import InputError
from ringback.models.protocol import Opener
from ringback.study.plan import planned_user

__all__ = ["Changed", "refuse_changed", "same_customer", "why_changed"]


class Changed(InputError):  # noqa: N818 - what it is
    """What the operator or the customer reads, or the customer, is not what it was at the start.

    A door can add in its own words how the episode is given up.
    """


def why_changed(episode: Episode) -> str | None:
    """In a sentence, why an episode cannot be gone on with here; None where nothing stands in it.

    A customer that is a model is left out: what it is now is known only once it has been opened.
    """
    start, domain = episode.start, episode.domain
    recorded = start.condition
    if start.condition.world != domain.version:
        world, now = recorded.world, domain.version
        return _sentence(
            episode, f"in version {world} of the world {domain.name}, and this is {now}"
        )
    if arm(domain, start.arm.agent, start.arm.policy).texts != start.arm.texts:
        return _sentence(
            episode, "with another policy or other tools than this version of Ringback has"
        )
    if condition(domain, recorded.user, recorded.limits).texts != recorded.texts:
        return _sentence(
            episode, "with other texts for the customer than this version of Ringback has"
        )
    if recorded.user.name not in users.names():
        return None
    try:
        same_customer(episode, None)
    except InputError as problem:
        return str(problem)
    return None


def refuse_changed(episode: Episode) -> None:
    """Raise `Changed` where an episode cannot be gone on with here, as `why_changed` says."""
    if (why := why_changed(episode)) is not None:
        raise Changed(why)


def same_customer(episode: Episode, opener: Opener | None) -> User:
    """The customer that the episode was begun with.

    Raises `Changed` where it is not what it was, and `InputError` where there is none of that name
    or a setting is not known any more.
    """
    recorded = episode.start.condition.user
    user = planned_user(recorded.name, recorded.settings, opener)
    if user.setup != recorded:
        raise Changed(_sentence(episode, _otherwise(recorded, user.setup)))
    return user


def _otherwise(then: Setup, now: Setup) -> str:
    """What of a customer is not what it was. Of settings the names alone: values tell the case."""
    if then.version != now.version:
        return f"with version {then.version} of the customer {then.name}, and this is {now.version}"
    names = sorted(
        name
        for name in then.settings.keys() | now.settings.keys()
        if name not in then.settings
        or name not in now.settings
        or then.settings[name] != now.settings[name]
    )
    if names:
        return f"with the customer {then.name} set up otherwise than now ({', '.join(names)})"
    return f"with the customer {then.name}, which is {now.name} now"


def _sentence(episode: Episode, how: str) -> str:
    return (
        f"Episode {episode.start.session} was begun {how}, so it cannot be gone on with here; go "
        "on with the version of then, or give it up and begin the case again."
    )
