"""The telecom support world."""
