"""What an episode was worth, from its events alone."""
