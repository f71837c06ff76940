"""
Hooks of agent hosts: what a host tells is spooled at once, what memory holds about a prompt is put into its context.

`entry`, `payload`, `spool` and `recall` run in a process of their own for every event, so they import next to nothing;
`intake` turns what was spooled into sessions later.
"""
