"""Result files of tau2-bench."""
