"""The kinds of agent, by name.

`reference` follows the workflow in dialogue; `hasty` is the same but transfers at the first repair
that does not help; `careless` is the same but leaves out each step of the workflow with a stated
probability (setting `skip`, 0.15 by default) and does not begin again. `transfer-at-once` and
`do-nothing` are controls. Another package brings an agent through the entry point group
``ringback.agents``: a function from settings to a `ringback.episode.participants.Agent`. Any other
name is a model's (`ringback.agents.llm`).
"""

from __future__ import annotations

from ringback.agents.open import AGENTS, GROUP, names, open_agent

__all__ = ["AGENTS", "GROUP", "names", "open_agent"]
