"""``--budget`` kept by the program, against a server that counts what it charges for."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ringback.episode.wire import Usage
from ringback.testing import ChaosServer, ChatReply, played_by
from tests.study.wire import Desk

PRICE = {"input": 10.0, "output": 20.0}  # USD per million tokens


TASK = "[service_issue]unseat_sim_card[PERSONA:Easy]"


def both_sides(usage: Usage | None = None) -> Any:
    """Who speaks goes by the instructions: the agent's are ten times as long as the customer's."""
    agent, caller = played_by("reference"), played_by("rules")

    async def brain(request: dict[str, Any]) -> ChatReply:
        customer = "You play a customer" in request["messages"][0]["content"]
        said = (caller if customer else agent)(request)
        return replace(await said if inspect.isawaitable(said) else said, usage=usage)

    return brain


def charged(server: ChaosServer) -> float:
    """USD for all that the server has answered."""
    return (
        sum(
            entry.reply["usage"]["prompt_tokens"] * PRICE["input"]
            + entry.reply["usage"]["completion_tokens"] * PRICE["output"]
            for entry in server.answered
            if entry.reply is not None
        )
        / 1e6
    )


def test_cheap_calls_first_and_many_long_ones_at_once_stay_within_it(tmp_path: Path) -> None:
    with ChaosServer(both_sides(), delay=0.05) as server:
        desk = Desk(tmp_path, both=server)
        desk.configure(f"{{ input = {PRICE['input']}, output = {PRICE['output']} }}")
        done = desk.run(
            *("run", "--tasks", "small", "--trials", "4", "--jobs", "64"),
            *("--agent", "both", "--user", "both", "--budget", "2"),
        )
        spent = charged(server)
    assert done.returncode == 3, done.stderr
    assert 1.5 < spent <= 2.0
    said = re.search(r"allows no further call: ([\d.]+) USD are spent in (\d+) calls", done.stderr)
    assert said is not None, done.stderr
    # What was in flight when it was reached, too; said with four digits after the point.
    assert float(said[1]) == pytest.approx(spent, abs=6e-5)
    assert int(said[2]) == len(server.answered)
    recorded = sum(call.answer.price.usd or 0.0 for call in desk.calls())
    assert round(recorded, 6) == round(spent, 6)


def test_an_endpoint_that_reports_no_usage_is_said_and_guessed_for(tmp_path: Path) -> None:
    with ChaosServer(both_sides(usage=Usage())) as server:
        desk = Desk(tmp_path, silent=server)
        desk.configure(f"{{ input = {PRICE['input']}, output = {PRICE['output']} }}")
        run = ("run", "--tasks", TASK, "--agent", "silent")
        kept = desk.run(*run, "--budget", "100")
        calls = len(server.answered)
        broken = desk.run(*run, "--seed", "2", "--budget", "0.6")
    assert kept.returncode == 0, kept.stderr
    assert f"for {calls} answers without a price" in kept.stderr
    assert "the provider did not say how many tokens it used" in kept.stderr
    assert f"cost of the agent: unknown, {calls} calls" in kept.stdout
    assert broken.returncode == 3, broken.stderr
    assert "the provider did not say how many tokens it used" in broken.stderr
    assert 1 < len(server.answered) - calls < calls


def test_tries_that_may_have_been_charged_are_shown_beside_the_cost(tmp_path: Path) -> None:
    with ChaosServer(both_sides(), faults={"cut": 0.2, "server_error": 0.2}) as server:
        desk = Desk(tmp_path, shaky=server)
        desk.configure(max_retries=20)
        done = desk.run("run", "--tasks", TASK, "--agent", "shaky")
        shown = desk.run("sessions", "show", "latest")
        cut = sum(entry.fault == "cut" for entry in server.log)
    assert done.returncode == 0, done.stderr
    assert cut > 0
    tries = "1 try" if cut == 1 else f"{cut} tries"
    assert f"and {tries} that may have been charged" in done.stdout
    assert f"and {tries} that may have been charged" in shown.stdout
    assert shown.stdout.count("it may have been charged") == cut
