"""Metrics as pure functions: each says its source and range, and returns None where a row cannot be scored."""
