"""Models: naming and opening one, asking it, what it costs."""
