"""From what users pass to what the core takes."""
