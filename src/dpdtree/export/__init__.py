"""Other forms of a fitted tree; each exporter sees only its structure."""
