"""The graphs of a project as the command line and the tools ask for them, and as files."""
