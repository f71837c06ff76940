"""PCKC command line, MCP server, configuration and composition."""
