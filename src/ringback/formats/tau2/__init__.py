"""Result files of tau2-bench."""

from ringback.formats.tau2.reading import read
from ringback.formats.tau2.simulations import FORM

__all__ = ["FORM", "read"]
