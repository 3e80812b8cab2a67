"""Give an agent CRAG as a tool: it decides what to look up, and when to let CRAG correct itself by the web.

$ python examples/agent.py "How long is the notice period, and is that legal?" --collection work

The web is searched only if you agree to the exact query, and needs TAVILY_API_KEY.
"""

import typer
from langchain.agents import create_agent
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.crag import graph as crag
from groundgraph.models import chat_model, default_chat_model
from state import Context

SYSTEM = (
    "Answer from what look_up returns, and keep its citations. Look up one thing at a time. Where a look-up is "
    "refused, ask it in other words, or let it correct itself. Never answer from your own memory."
)


def look_up_in(collection: str) -> BaseTool:
    """Return CRAG over a collection as a tool."""

    @tool
    def look_up(question: str, correct: bool = False) -> str:
        """Answer a question from the documents, with its sources, or say why they do not answer it.

        Args:
            question: One question that can be understood alone.
            correct: Whether the web may be asked where the documents do not answer, if the person agrees.
        """
        context = Context(collections=[collection], web_search="ask" if correct else "off")
        result = crag.invoke({"question": question}, context=context)
        if result["refused"]:
            return f"Refused: {result['refusal_reason']}."
        sources = [f"[{citation['number']}] {citation['source']}" for citation in result["citations"]]
        return "\n".join([result["answer"], *sources])

    return look_up


def main(question: str, collection: str = "default", model: str | None = None) -> None:
    """Let an agent answer, and ask before anything is sent to the web."""
    name = model or default_chat_model()
    if name is None:
        raise typer.BadParameter("no chat model: set OPENAI_BASE_URL or OPENAI_API_KEY, or give --model")
    tools = [look_up_in(collection)]
    agent = create_agent(chat_model(name), tools, system_prompt=SYSTEM, checkpointer=InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    state = agent.invoke({"messages": [{"role": "user", "content": question}]}, thread)
    while interrupts := state.get("__interrupt__"):
        asked = interrupts[0].value
        agreed = typer.confirm(f"Send {asked['web_search']!r} to {asked['provider']}?")
        state = agent.invoke(Command(resume=agreed), thread)
    for message in state["messages"]:
        print(message.pretty_repr())


if __name__ == "__main__":
    typer.run(main)
