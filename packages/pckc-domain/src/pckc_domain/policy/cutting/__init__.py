"""One redacted document as chunks, paragraphs, propositions and summaries."""
