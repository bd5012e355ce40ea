"""Doors to operated episodes that are servers: the desk in the browser, and MCP.

Each listens on loopback behind one guard (`ringback.web.guard`). A door is given what it serves and
decides nothing about it.
"""

__all__: list[str] = []
