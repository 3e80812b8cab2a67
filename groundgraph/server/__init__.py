"""What the LangGraph server serves beside the graphs."""
