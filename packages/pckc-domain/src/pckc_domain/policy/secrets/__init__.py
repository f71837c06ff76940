"""What is told apart as a secret: its kinds, the words around it, and what only looks like one."""
