"""Real counterparts for tests of models, on loopback: part of the product."""
