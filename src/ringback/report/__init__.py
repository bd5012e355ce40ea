"""Results as a page, a summary and a file."""
