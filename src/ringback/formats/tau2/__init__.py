"""Result files of tau2-bench."""

from ringback.formats.tau2.reading import FORM, read

__all__ = ["FORM", "read"]
