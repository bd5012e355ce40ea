"""Opening a model by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol, runtime_checkable

from ringback.errors import InputError
from ringback.models.entries import beside, config_path, entries_with
from ringback.models.ledger import Ledger
from ringback.models.protocol import Model, ModelEntry
from ringback.models.providers import PROVIDERS
from ringback.models.script import ScriptModel, read_script

__all__ = ["Models", "open_model"]


@runtime_checkable
class _Prepares(Protocol):
    def ready(self) -> None: ...


@runtime_checkable
class _Closes(Protocol):
    async def close(self) -> None: ...


@runtime_checkable
class _Stops(Protocol):
    def stop(self) -> int: ...


class Models:
    """The models of a run, each opened once, so that limits and connections are shared.

    `entries` are the study file's ``[models.NAME]``; they go before those of the user's own
    configuration. Under a `ledger` with a budget every model must have a known price. A path in a
    name that is no entry's (``script:PATH``, ``local:PATH.gguf``) is taken from `folder`, that of
    the study file where one names the models; None for the current one. `say` hears a sentence when
    a model that has not answered yet is tried again, once for each.
    """

    def __init__(
        self,
        entries: Mapping[str, ModelEntry] | None = None,
        *,
        ledger: Ledger | None = None,
        folder: Path | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._entries = entries_with(entries)
        self._folder = folder
        self._ledger = ledger
        self._say = say
        self._opened: dict[str, Model] = {}
        self._stopped = False

    def open(self, name: str) -> Model:
        """The model of this name: ``provider:model``, ``local:...``, ``script:FILE`` or an alias.

        Loads no client library and needs no key yet. Raises `InputError` for a name that is none,
        with what is like it.
        """
        if name not in self._opened:
            model = self._opened[name] = self._open(name)
            if self._stopped and isinstance(model, _Stops):
                model.stop()
        return self._opened[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the user's own: of the study file's entries and of the configuration's."""
        return tuple(self._entries)

    @property
    def assumed(self) -> str | None:
        """What the budget was kept by beside known prices; None where by nothing else."""
        return None if self._ledger is None else self._ledger.assumed

    def ready(self) -> None:
        """Make sure that what is opened can be asked, before anything is.

        Raises `InputError` for a package or key that is missing, or under a budget a model whose
        price is not known.
        """
        for model in self._opened.values():
            if isinstance(model, _Prepares):
                model.ready()

    def stop(self) -> int:
        """Send no more calls, retries included: they raise `CallsStopped`.

        Calls in flight go on to their end; returns how many there are. May be called from a signal
        handler, and holds until `close`.
        """
        self._stopped = True
        return sum(model.stop() for model in self._opened.values() if isinstance(model, _Stops))

    async def close(self) -> None:
        """Close connections that the running event loop opened. Asking again opens new ones."""
        self._stopped = False
        for model in self._opened.values():
            if isinstance(model, _Closes):
                await model.close()

    def _placed(self, name: str) -> ModelEntry | None:
        """What a name with a path comes to from the folder; None for all others."""
        if self._folder is None:
            return None
        entry = beside(self._folder, ModelEntry(name))
        return entry if entry.model != name else None

    def _open(self, name: str) -> Model:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"The model {name!r} is not named in UTF-8; name it anew.") from None
        entry = self._entries.get(name) or self._placed(name)
        full = entry.model if entry else name
        provider, colon, rest = full.partition(":")
        if colon and rest:
            if provider == "local":
                from ringback.models.local import open_local

                return open_local(name, entry)
            if provider == "script":
                return ScriptModel(read_script(Path(rest)), name)
            if provider in PROVIDERS:
                from ringback.models.hosted import HostedModel

                entry = entry or ModelEntry(full)
                return HostedModel(name, entry, ledger=self._ledger, say=self._say)
        raise InputError(_unknown(name, full, self._entries))


def open_model(
    name: str,
    entries: Mapping[str, ModelEntry] | None = None,
    *,
    ledger: Ledger | None = None,
) -> Model:
    """One model by its name, as `Models.open` does."""
    return Models(entries, ledger=ledger).open(name)


def _unknown(name: str, full: str, entries: Mapping[str, ModelEntry]) -> str:
    provider, colon, rest = full.partition(":")
    kinds = (*PROVIDERS, "local", "script")
    if colon and provider in kinds:
        return f"The name {full!r} ends after its provider; write {provider}:MODEL."
    whose = "" if full == name else f" (model of [models.{name}])"
    if colon:
        like = [f"{kind}:{rest}" for kind in get_close_matches(provider, kinds)]
    else:
        like = get_close_matches(full, entries) or _known(full)
    hint = f"did you mean {' or '.join(like)}?" if like else _offer(entries)
    return f"There is no model {full!r}{whose}; {hint}"


def _offer(entries: Mapping[str, ModelEntry]) -> str:
    aliases = f", or one of {', '.join(sorted(entries))}" if entries else ""
    return (
        "write provider:model, such as openai:gpt-5.2, anthropic:claude-haiku-4-5, "
        f"ollama:qwen3 or local:smollm2{aliases}; names of your own stand in {config_path()} or in "
        "a file that --models-file names."
    )


def _known(name: str) -> list[str]:
    try:
        from pydantic_ai.models import known_model_names
    except ImportError:
        return []
    offered = [full for full in known_model_names() if full.partition(":")[0] in PROVIDERS]
    bare = {full.partition(":")[2]: full for full in reversed(offered)}
    return [bare[near] for near in get_close_matches(name, bare, n=1, cutoff=0.75)]
