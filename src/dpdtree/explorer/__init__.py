"""The explorer: a fitted tree and its alternatives as one HTML file."""
