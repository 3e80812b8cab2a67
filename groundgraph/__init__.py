"""Answers from your own documents, with citations, or a plain refusal."""

__version__ = "0.1.0"
