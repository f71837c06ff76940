"""The MCP server. Importing it costs about half a second: only ``pckc serve`` does."""
