"""What the store says about sessions, one row at a time."""

from __future__ import annotations

from msgspec import Struct

from ringback.episode.events import Ending

__all__ = ["Member", "SessionRow"]


class SessionRow(Struct, frozen=True):
    """A session without its events.

    `cell`, `condition` and `arm` are digests (see `ringback.episode.identity`); `attempt` counts
    from 0, and of a cell's attempts the last one counts. `parent` is the session this one replays;
    `origin` the form of the recording that it was read from, None for one of ours, and only with
    one may `task`, `family`, `trial` and `seed` be unknown; `origin_id` is the id that it has
    there, None where it has none, and `origin_file` the file, by its name or its path in the folder
    that was named.
    `created_at` and `finished_at` are Unix seconds; `ending`, `steps`, `errors` and `seconds` (of
    the participants' active time) are None until the session has ended. `grader` is the version
    that graded it last, and `reward`, `solved` and `graded` are what that grade says: None without
    one. `solved` means something only where `graded` is True.
    """

    id: str
    cell: str
    attempt: int
    condition: str
    arm: str
    arm_name: str
    domain: str
    task: str | None
    family: str | None
    trial: int | None
    seed: int | None
    agent: str
    user: str
    parent: str | None
    origin: str | None
    origin_id: str | None
    origin_file: str | None
    created_at: float | None
    ending: Ending | None
    steps: int | None
    errors: int | None
    seconds: float | None
    finished_at: float | None
    grader: str | None
    reward: float | None
    solved: bool | None
    graded: bool | None


class Member(Struct, frozen=True):
    """A cell that a study asked for; `condition` and `arm` are None while no attempt was begun."""

    arm_name: str
    cell: str
    condition: str | None
    arm: str | None
