"""What flows through every graph: the run's Context, the state and its reducers, and the compiled graph's two faces."""

from state.context import Context
from state.graph import Graph
from state.reducers import Usage
from state.schemas import Answer, Citation, Question, State, Step

__all__ = ["Answer", "Citation", "Context", "Graph", "Question", "State", "Step", "Usage"]
