"""The support side: participants that look up accounts and change the line."""
