"""Agents that are not ours, for programs in processes of their own.

A ``sitecustomize`` puts one in the place of `do-nothing`, in a program and in its workers alike.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

_MODULE = """
import asyncio, os, signal
import ringback.agents

ours = ringback.agents.open_agent
flying = 0


class Foreign:
    def __init__(self, agent):
        self._agent = agent

    def __getattr__(self, name):
        return getattr(self._agent, name)

    def take(self, brief):
        inner = self._agent.take(brief)
        {take}

        class Acting:
            async def act(self, *seen):
                global flying
                flying += 1
                with open({log!r}, "a") as log:
                    print(os.getpid(), id(asyncio.get_running_loop()), flying, file=log)
                try:
                    {act}
                    return await inner.act(*seen)
                finally:
                    flying -= 1

        return Acting()


def open_agent(name, *more):
    agent = ours(name, *more)
    return Foreign(agent) if name == "do-nothing" else agent


ringback.agents.open_agent = open_agent
"""


def foreign(folder: Path, *, take: str = "pass", act: str = "pass") -> tuple[dict[str, str], Path]:
    """Make `do-nothing` do this first when it is taken, or acts.

    Gives what the environment must hold for that, and the file in which each turn notes its
    process, its event loop and how many turns were under way there.
    """
    home = folder / "foreign"
    home.mkdir()
    log = folder / "log"
    text = dedent(_MODULE).format(take=take, act=act, log=str(log))
    (home / "sitecustomize.py").write_text(text)
    return {"PYTHONPATH": str(home)}, log
