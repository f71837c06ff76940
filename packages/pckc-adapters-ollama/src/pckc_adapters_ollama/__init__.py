"""PCKC's embedder and distiller by models that Ollama runs."""
