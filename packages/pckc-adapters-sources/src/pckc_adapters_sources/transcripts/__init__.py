"""Agent transcripts, read in the formats their hosts write."""
