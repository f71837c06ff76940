"""
Connecting agent hosts: what PCKC adds to their configuration files, and takes back.

`wanted` says what each host needs and where, `documents` puts it into a text and takes it out again, `files` reads and
replaces files without losing anything.
"""
