"""Models on this machine: weights from a file, a package or a Hugging Face cache, on the CPU."""

from ringback.models.local.fetch import Progress, fetch_smollm2
from ringback.models.local.open import open_local

__all__ = ["Progress", "fetch_smollm2", "open_local"]
