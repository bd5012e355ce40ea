"""Ringback: which model, or which prompt, holds up as a support agent?"""

__version__ = "0.1.0"
