"""How fast the promises hold: one file a subject, one table for all."""
