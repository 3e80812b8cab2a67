"""Documents: load, chunk, keep, and find passages."""
