"""``ringback step-check`` as people use it: against a server, killed, stopped, short of money."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ringback.formats.exgentic.write import write
from ringback.testing import ChaosServer, ChatReply, played_by
from tests.cli.conftest import Cli, cli, refused
from tests.formats.exgentic.made import assistant, called, gave, row, said, span, tools
from tests.models.backend import Backend, Reply
from tests.study.wire import Desk, interrupt, kill, stamped

__all__ = ["cli"]

TASKS = "[service_issue]airplane_mode_on[PERSONA:None],[service_issue]unseat_sim_card[PERSONA:Easy]"
RUN = ("run", "--tasks", TASKS, "--trials", "4", "--agent", "base", "--json")
CHECK = ("step-check", "--from", "agent=base", "--models", "other", "--sample", "30")


def otherwise(request: dict[str, Any]) -> ChatReply:
    """Another model: it says one thing, and calls nothing."""
    return ChatReply(f"Let me see. {len(request['messages'])}")


def replies(desk: Desk) -> Counter[int]:
    """The numbers of the kept replies, which each reply of the servers has of its own."""
    sessions = [row.id for row in desk.rows()]
    with desk.store() as store:
        return Counter(
            one.answer.usage.input
            for server in desk.servers.values()
            for one in store.step_checks.of(
                {"model": f"openai:{server.model}", "endpoint": server.base_url}, sessions
            )
            if one.answer.usage.input is not None
        )


def test_killed_and_started_again_no_reply_is_asked_for_twice(tmp_path: Path) -> None:
    with (
        ChaosServer(stamped(played_by("careless")), model="base-1", delay=0.01) as base,
        ChaosServer(stamped(otherwise), model="other-1", delay=0.01) as other,
    ):
        desk = Desk(tmp_path, base=base, other=other)
        assert desk.run(*RUN).returncode == 0
        recorded = len(base.answered)
        for count in (12, 30):
            process = desk.start(*CHECK, "--jobs", "4", "--json")
            desk.when_answered(recorded + count, process)
            kill(process)
        before = replies(desk)
        lost = desk.answered() - desk.recorded() - before
        assert sum(before.values()) >= 22
        assert sum(lost.values()) <= 8  # in flight when it was killed, twice
        done = desk.run(*CHECK, "--json")
        assert done.returncode == 0, done.stderr
        asked = len(base.answered) + len(other.answered) - recorded
        assert asked == 60 + sum(lost.values())
        assert max(replies(desk).values()) == 1
        again = desk.run(*CHECK, "--json")
        assert len(base.answered) + len(other.answered) - recorded == asked
    assert again.stdout == done.stdout
    found = json.loads(done.stdout)["step_check"]
    repeat, target = found["targets"]
    assert (repeat["model"], repeat["repeat"], repeat["missing"]) == ("base", True, 0)
    assert repeat["whole"]["rate"]["calls"] == 30
    assert target["whole"]["rate"]["hits"] == 0
    assert target["versus"]["difference"] < 0
    assert target["cost"]["usd"] > 0


def test_ctrl_c_waits_for_what_is_in_flight_and_goes_on(tmp_path: Path) -> None:
    with (
        ChaosServer(stamped(played_by("reference")), model="base-1") as base,
        ChaosServer(stamped(otherwise), model="other-1") as other,
    ):
        desk = Desk(tmp_path, base=base, other=other)
        assert desk.run(*RUN).returncode == 0
        recorded = len(base.answered)
        base.delay = other.delay = 0.2
        process = desk.start(*CHECK, "--jobs", "6")
        desk.when_answered(recorded + 12, process)
        interrupt(process)
        out, errors = process.communicate(timeout=30)
        assert (process.returncode, out) == (130, "")
        assert "waiting for what is in flight" in errors
        assert "of 60 calls sent; every reply is kept, and the same command goes on" in errors
        assert desk.answered() == desk.recorded() + replies(desk)
        base.delay = other.delay = 0.0
        assert desk.run(*CHECK).returncode == 0
        assert len(base.answered) + len(other.answered) - recorded == 60


def test_a_second_ctrl_c_drops_what_is_in_flight(tmp_path: Path) -> None:
    with (
        ChaosServer(played_by("reference"), model="base-1") as base,
        ChaosServer(otherwise, model="other-1", faults={"hang": 1.0}) as other,
    ):
        desk = Desk(tmp_path, base=base, other=other)
        desk.configure(timeout=300.0)
        assert desk.run(*RUN).returncode == 0
        process = desk.start(*CHECK, "--jobs", "4")
        until = time.monotonic() + 60
        while len(other.log) < 4:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        interrupt(process)
        time.sleep(0.5)
        assert process.poll() is None
        interrupt(process)
        out, errors = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in errors
    assert "4 calls. Ctrl-C again drops it." in errors


def test_a_budget_stops_it_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with (
        ChaosServer(played_by("reference"), model="base-1") as base,
        ChaosServer(otherwise, model="other-1") as other,
    ):
        desk = Desk(tmp_path, base=base, other=other)
        assert desk.run(*RUN).returncode == 0
        desk.configure("{ input = 10.0, output = 10.0 }", max_tokens=200)
        done = desk.run(*CHECK, "--budget", "1", "--json")
        assert done.returncode == 3, done.stderr
        assert "allows no further call" in done.stderr
        assert "calls are left, and what was replied is kept." in done.stderr
        found = json.loads(done.stdout)
        assert found["stopped"]
        part = found["step_check"]["targets"]
        assert 0.4 < sum(target["cost"]["usd"] for target in part) <= 1.0
        assert sum(target["missing"] for target in part) > 0
        done = desk.run(*CHECK, "--budget", "30", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["stopped"] is None


def test_faults_of_the_server_end_in_the_counts_and_broken_ways_are_gone_again(
    tmp_path: Path,
) -> None:
    with (
        ChaosServer(played_by("reference"), model="base-1") as base,
        ChaosServer(otherwise, model="other-1") as other,
    ):
        desk = Desk(tmp_path, base=base, other=other)
        desk.configure(max_retries=0)
        assert desk.run(*RUN).returncode == 0
        other.faults = {"server_error": 0.2, "wrong_model": 0.2, "refusal": 0.2, "empty": 0.2}
        done = desk.run(*CHECK, "--json")
        assert done.returncode == 3, done.stderr
        assert "got no answer (other: " in done.stderr
        found = json.loads(done.stdout)["step_check"]
        target = found["targets"][1]
        failures = {one["name"]: one["count"] for one in target["failures"]}
        assert failures.keys() == {"refusal"}  # whoever got no answer is missing, not different
        missing = target["missing"]
        assert 0 < missing < 30
        assert target["whole"]["rate"]["calls"] == 30 - missing
        assert {one["name"] for one in target["whole"]["outcomes"]} >= {"nothing", "failed"}
        assert "another-model" in {one["name"] for one in target["answered"] if one["other"]}
        assert any("other was answered under another name" in note for note in found["notes"])
        other.faults = {}
        before = len(other.log)
        done = desk.run(*CHECK, "--json")
        assert len(other.log) - before == missing
        target = json.loads(done.stdout)["step_check"]["targets"][1]
        assert [one["name"] for one in target["failures"]] == ["refusal"]
        assert (target["missing"], target["whole"]["rate"]["calls"]) == (0, 30)


def scripts(folder: Path) -> None:
    call = {"calls": [{"tool": "get_data_usage", "arguments": {"n": 1}}]}
    (folder / "base.json").write_text(json.dumps(["Your number?", call, "Bye."]))
    (folder / "other.json").write_text(json.dumps(["YOUR NUMBER?", call]))


def test_scripts_offline_and_the_file_of_all_replies(cli: Cli, tmp_path: Path) -> None:
    scripts(tmp_path)
    assert cli("run", "--tasks", "small", "--agent", "script:base.json").returncode == 0
    command = ("step-check", "--from", "agent=script:base.json", "--models", "script:other.json")
    done = cli(*command, "--sample", "30", "--seed", "4", "--out", "calls.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "drawn: 30 of " in done.stdout
    assert "script:base.json (repeat)  30 of 30 (100.0%)" in done.stdout
    assert "what chance alone does" in done.stdout
    assert "setting seed: a script takes no settings" in done.stdout
    whole = json.loads((tmp_path / "calls.json").read_text())
    assert len(whole["calls"]) == 30
    assert {len(one["replies"]) for one in whole["calls"]} == {2}
    again = cli(*command, "--sample", "30", "--seed", "4", "--json")
    assert json.loads(again.stdout)["step_check"] == whole["results"]
    (tmp_path / "models.toml").write_text('[models.mine]\nmodel = "script:other.json"\n')
    named = cli(*command[:3], "--models", "mine", "--models-file", "models.toml", "--json")
    assert json.loads(named.stdout)["step_check"]["targets"][1]["model"] == "mine"
    (tmp_path / "other.json").write_text('["\\u001b[2J\\u202e"]')
    hostile = cli(*command, "--out", "hostile.json")
    assert hostile.returncode == 0
    assert "\x1b" not in hostile.stdout


def test_traces_of_others_are_sent_to_a_model_of_ours(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    hello, about = said("hello"), tools("look_up", "pay")
    asked = [hello, called("look_up", {"id": "L1"}), gave('{"a": 1}')]
    rows = [
        row(
            number,
            span([hello], [called("look_up", {"id": f"L{number}"})], offered=about, number=1),
            span(asked, assistant("Done."), offered=about, number=2),
            span(asked, None, code=2, error="Timeout", number=3),
        )
        for number in range(3)
    ]
    write(tmp_path / "shard.parquet", rows)
    assert cli("import", "exgentic", "shard.parquet").returncode == 0
    replies: list[Any] = [{"calls": [{"tool": "look_up", "arguments": {"id": "L1"}}]}]
    (tmp_path / "other.json").write_text(json.dumps(replies))
    command = ("step-check", "--from", "origin=exgentic", "--models", "script:other.json")
    line = refused(cli(*command), "'gpt-5.2'", "--repeat")
    assert "--repeat none" in line
    done = cli(*command, "--repeat", "none", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["step_check"]
    assert found["sample"]["excluded"] == [{"name": "failed", "count": 3}]
    assert (found["sample"]["calls"], found["sample"]["candidates"]) == (9, 6)
    assert found["targets"][0]["whole"]["outcomes"] == [
        {"name": "same", "count": 1},
        {"name": "other_arguments", "count": 2},
        {"name": "call_for_text", "count": 3},
    ]
    assert any("names and descriptions only" in note for note in found["notes"])


STUDY = """
name = "steps"
tasks = "small"
[baseline]
agent = "reference"
[arms.script]
agent = "script:base.json"
[step_check]
models = ["script:other.json"]
sample = 20
"""


def test_a_study_sends_an_arms_calls_again_when_all_is_played(cli: Cli, tmp_path: Path) -> None:
    scripts(tmp_path)
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    for command in ("plan", "run"):
        refused(cli("study", command, "study.toml"), "reference asks no model", "script")
    assert not (tmp_path / ".ringback").exists()
    study.write_text(STUDY + 'arm = "script"\n')
    plan = cli("study", "plan", "study.toml")
    assert "20 calls of script, sent again to script:other.json" in plan.stdout
    done = cli("study", "run", "study.toml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)["step_check"]
    assert found["sample"]["sampled"] == 20
    assert [target["model"] for target in found["targets"]] == [
        "script:base.json",
        "script:other.json",
    ]
    assert found["targets"][0]["whole"]["rate"]["hits"] == 20
    report = (tmp_path / "report" / "results.json").read_bytes()
    assert json.loads(report)["step_check"] == found
    again = cli("study", "run", "study.toml")
    assert "script:base.json (repeat)" in again.stdout
    assert (tmp_path / "report" / "results.json").read_bytes() == report


def test_a_study_whose_step_check_gets_no_answers_has_its_report(cli: Cli, tmp_path: Path) -> None:
    scripts(tmp_path)
    text = STUDY.replace('"script:other.json"', '"dead"') + 'arm = "script"\n'
    with Backend(Reply({"error": {"message": "down"}}, status=500)) as server:
        text += (
            f'[models.dead]\nmodel = "openai:gone"\nbase_url = "{server.url}/v1"\n'
            "settings = {max_retries = 0}\n"
        )
        (tmp_path / "study.toml").write_text(text)
        done = cli("study", "run", "study.toml")
    assert done.returncode == 3
    assert "20 of 40 calls got no answer (dead: " in done.stderr
    assert "500" in done.stderr
    assert "the same command sends them again" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "The report is report/index.html" in done.stdout
    found = json.loads((tmp_path / "report" / "results.json").read_text())["step_check"]
    dead = found["targets"][1]
    assert (dead["missing"], dead["failures"], dead["whole"]["rate"]["calls"]) == (20, [], 0)
    assert dead["versus"] is None
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "20 not answered yet" in page


def test_a_study_whose_episodes_are_stopped_shows_what_was_replied_before(
    cli: Cli, tmp_path: Path
) -> None:
    scripts(tmp_path)
    study = tmp_path / "study.toml"
    study.write_text(STUDY + 'arm = "script"\n')
    assert cli("study", "run", "study.toml").returncode == 0
    before = json.loads((tmp_path / "report" / "results.json").read_text())["step_check"]
    with Backend(Reply({"error": {"message": "down"}}, status=500)) as server:
        study.write_text(
            STUDY.replace("[step_check]", '[arms.dead]\nagent = "dead"\n[step_check]')
            + 'arm = "script"\n'
            + f'[models.dead]\nmodel = "openai:gone"\nbase_url = "{server.url}/v1"\n'
            + "settings = {max_retries = 0}\n"
        )
        assert cli("study", "run", "study.toml").returncode == 3
    found = json.loads((tmp_path / "report" / "results.json").read_text())["step_check"]
    assert found["targets"] == before["targets"]
    assert "Step check: 20 of " in (tmp_path / "report" / "summary.md").read_text("utf-8")


def test_a_study_whose_step_check_is_refused_has_its_report(cli: Cli, tmp_path: Path) -> None:
    scripts(tmp_path)
    with ChaosServer(otherwise, key="sesame-right") as server:
        text = STUDY.replace('"script:other.json"', '"ours"') + 'arm = "script"\n'
        text += f'[models.ours]\nmodel = "openai:x"\nbase_url = "{server.base_url}"\n'
        (tmp_path / "study.toml").write_text(text + 'key_env = "CHAOS_KEY"\n')
        done = cli("study", "run", "study.toml", env={"CHAOS_KEY": "sesame-wrong"})
    assert done.returncode == 2
    assert "CHAOS_KEY" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "The report is report/index.html" in done.stdout
    assert json.loads((tmp_path / "report" / "results.json").read_text())["step_check"] is None


def test_a_key_that_the_step_check_needs_is_asked_for_before_anything_is_played(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts(tmp_path)
    text = STUDY.replace('"script:other.json"', '"openai:gpt-5.2"') + 'arm = "script"\n'
    (tmp_path / "study.toml").write_text(text)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused(cli("study", "run", "study.toml"), "OPENAI_API_KEY")
    assert json.loads(cli("sessions", "list", "--json").stdout)["count"] == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("models = []", "lacks the name of a model"),
        ('models = ["a", "a"]', "'a' twice"),
        ('models = ["script:other.json"]\nsample = 0', "sample of 0"),
        ('models = ["script:other.json"]\nseed = -1', "seed -1"),
        ('models = ["script:other.json"]\narm = "scrpt"', "did you mean script?"),
        ('models = ["script:other.json"]\nsmaple = 3', "did you mean sample?"),
        ('models = ["nobody"]\narm = "script"', "nobody"),
        ('models = ["script:other.json"]\nrepeat = "nobody"\narm = "script"', "nobody"),
    ],
)
def test_what_a_study_cannot_ask_for(cli: Cli, tmp_path: Path, lines: str, words: str) -> None:
    scripts(tmp_path)
    text = STUDY.partition("[step_check]")[0] + f"[step_check]\n{lines}\n"
    (tmp_path / "study.toml").write_text(text)
    refused(cli("study", "plan", "study.toml"), words)


def test_what_it_refuses(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "--tasks", "small").returncode == 0
    to = ("--models", "script:base.json")
    scripts(tmp_path)
    refused(cli("step-check", "--from", "agent=reference", *to), "No agent asked a model in 20")
    refused(cli("step-check", "--from", "agent=nobody", *to), "agent=nobody")
    refused(cli("step-check", "--from", "mood=good", *to), "mood")
    refused(cli("step-check", "--from", "agent=reference"), "--models")
    refused(cli("step-check", *to), "--from")
    refused(cli("step-check", "--from", "latest", *to, "--sample", "1.5"), "whole number")
    refused(cli("step-check", "--from", "latest", *to, "--store", "gone.db"), "gone.db")
    assert not (tmp_path / "gone.db").exists()


def test_a_selection_that_was_quoted_as_one_word_is_read_as_its_words(cli: Cli) -> None:
    assert cli("run", "--tasks", TASKS, "--agent", "hasty").returncode == 0
    for words in (("arm=hasty", "agent=hasty"), ("arm=hasty agent=hasty",)):
        refused(cli("step-check", "--from", *words, "--models", "x:y"), "2 sessions")
    refused(cli("step-check", "--from", "arm=nobody solved=no", "--models", "x:y"), "arm=nobody")
