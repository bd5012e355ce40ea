"""One simulated call: its events, its rules and the loop that runs it."""
