"""The HTTP server: MCP at /mcp, REST below /api/v1, and what operators ask for."""
