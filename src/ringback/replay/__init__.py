"""Calling recorded cases back: replays, forks, and two sessions side by side."""
