"""A study: its file, its plan, its cells and their run."""
