"""Other programs' recordings: read into our events, and ours written in their forms."""

from ringback.formats.recording import Recording, Skipped

__all__ = ["Recording", "Skipped"]
