"""The browser of all tests that need one, under its former name here."""

from tests.browser import Browser, Seen, chromium, open_browser

__all__ = ["Browser", "Seen", "chromium", "open_browser"]
