"""The agent's policy, in two variants."""
