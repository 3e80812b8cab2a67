"""Evaluate patterns on one's own questions: ask, score, keep the record, compare."""
