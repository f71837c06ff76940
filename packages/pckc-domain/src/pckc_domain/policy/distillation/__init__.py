"""The deterministic distiller: from a chunk of a document to claims, each with its words in the chunk."""
