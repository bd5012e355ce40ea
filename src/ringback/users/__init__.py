"""The caller's side: user simulators."""
