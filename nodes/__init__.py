"""One step a file, shared by the graphs; each reads a narrow slice of the state and returns only what it changed."""
