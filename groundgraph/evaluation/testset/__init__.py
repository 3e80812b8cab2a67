"""Questions made from a person's own documents, each checked before it is kept."""
