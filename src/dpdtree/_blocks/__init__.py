"""Training rows that come in blocks: more of them than memory holds."""
