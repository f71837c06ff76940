"""Documents: Markdown, text, HTML, PDF and EPUB files, and pages of the web."""
