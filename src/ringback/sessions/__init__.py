"""The store of recorded sessions."""
