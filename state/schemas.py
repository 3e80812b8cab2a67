"""The state of a run: what a caller gives, what a caller gets, and what flows between nodes.

Every node annotates the narrow slice of `State` it reads and returns only the keys it changed.
"""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from groundgraph.grading.confidence import Token
from groundgraph.grading.need import Need
from groundgraph.knowledge.passage import Passage, Tier
from groundgraph.knowledge.search import SearchMode
from state.reducers import Usage, add_usage, append, append_new


class Citation(TypedDict):
    """Where a statement of the answer comes from; `number` is the `[n]` in the answer."""

    number: int
    source: str
    locator: str
    quote: str
    collection: str


class Step(TypedDict):
    """What one node decided, with the figures it decided on."""

    node: str
    decision: str
    figures: dict[str, Any]


class Route(TypedDict, total=False):
    """What is known of a question beforehand: its intent, and which collections to search."""

    intent: str
    collections: list[str]


class Question(TypedDict, total=False):
    """What every graph takes: a `question`, or `messages` of which the last human one is the question.

    `route` may be left out; the router fills it for the pattern that it runs. It holds for one run.
    """

    question: str
    messages: Annotated[list[AnyMessage], add_messages]
    route: Route


class Answer(TypedDict):
    """What every graph gives.

    `passages` are those the answer was written from, in the order of their citation numbers.
    A refusal has `refused` set, its reason in `refusal_reason`, and no citations.
    """

    answer: str
    citations: list[Citation]
    passages: list[Passage]
    refused: bool
    refusal_reason: str
    steps: Annotated[list[Step], append]
    warnings: Annotated[list[str], append_new]
    usage: Annotated[Usage, add_usage]
    messages: Annotated[list[AnyMessage], add_messages]


class Ranking(TypedDict):
    """What one leg of the search, `vector` or `keyword`, found for one query, best first."""

    query: str
    leg: SearchMode
    passages: list[Passage]
    warnings: list[str]
    failed: str
    """Why the leg found nothing; empty if it worked."""


class Draft(TypedDict):
    """What the model wrote on with in FLARE: a sentence, and perhaps more after it."""

    text: str
    """Starts with the white space that parts it from the answer so far; empty if nothing was written."""
    end: int
    """Where the first sentence of `text` ends."""
    tokens: list[Token]
    """Of `text`; those of the first sentence only where no log probabilities gave them."""
    confidence: float | None
    """Of the first sentence, in [0, 1]; None if it was not measured."""
    ended: bool
    """Whether the model ended its answer with `text`."""
    guessed: bool
    """Whether it never stands and is only to be searched for: a guess, or a first draft that refuses."""
    failed: str
    """Why the model could not write; empty if it could."""


NO_DRAFT: Draft = {
    "text": "",
    "end": 0,
    "tokens": [],
    "confidence": None,
    "ended": False,
    "guessed": False,
    "failed": "",
}


class Segment(TypedDict):
    """A part of the answer in Self-RAG, written from one passage, with what the critic says of it."""

    passage: int
    """Number of the passage."""
    text: str
    relevant: float
    """How well the passage fits the question, from 1 to 5."""
    supported: float
    """How much of the segment the passage states, from 1 to 5."""
    utility: float
    """How well the answer, this segment included, answers the question, from 1 to 5."""
    score: float
    """Weighted mean of the three, by which segments are ranked."""


class Beam(TypedDict):
    """An answer that grows beside others in Self-RAG with reflection tokens."""

    raw: str
    """What the model gets as the beginning of its response: reflection tokens and passages included."""
    segments: list[Segment]
    score: float
    """As `answer_score` makes it of its segments' scores."""
    need: str
    """Reflection token that says what comes next; empty if the model has ended."""
    found: list[int]
    """Numbers of the passages to write the next segment from."""


class State(Answer):
    """Everything that flows between the nodes of a run."""

    question: str
    """As asked; never overwritten."""
    query: str
    """The question made to stand alone: what is searched for and graded against."""
    intent: str
    pattern: str
    collections: list[str]
    """What is searched: the context's collections, or those of the route."""
    route: Route
    route_settings: dict[str, Any]
    """Settings that the pattern, run as a subgraph, takes for this question; a person's own win."""
    search_query: str
    """The question rewritten to search terms; empty if it is not."""
    hypotheticals: list[str]
    """Documents, written by the model, that would answer."""
    query_vectors: dict[str, list[float]]
    """Vector to search by in place of the question's, by embedding model."""
    subquestions: list[str]
    """In Advanced RAG; `#1` in one stands for the answer of the first until that is known."""
    rankings: Annotated[list[Ranking], append]
    hops: int
    """Rounds of answering a sub-question that another waits for."""
    quality: float
    """In Adaptive RAG: the score of the best passage."""
    attempts: int
    """Further retrievals, each for a question rewritten, in Adaptive RAG and Self-RAG."""
    outcome: str
    draft: Draft
    """In FLARE: the sentence being written."""
    current: list[int]
    """In FLARE: numbers of the passages retrieved last."""
    shown: list[int]
    """In FLARE: numbers of the passages that the draft was written from."""
    draft_queries: list[str]
    """In FLARE: what the draft made the run search for; empty where it was confident."""
    retrievals: int
    """In FLARE: those for the sentence being written."""
    sentences: list[str]
    """In FLARE: the accepted ones."""
    need: Need
    """In Self-RAG: whether to retrieve for the next segment, go on from what there is, or end."""
    found: list[int]
    """In Self-RAG: numbers of the passages retrieved last, best first."""
    tried: list[int]
    """In Self-RAG: numbers of those from which the next segment was tried to be written."""
    candidates: list[int]
    """In Self-RAG: numbers of those from which it is being written."""
    segments: list[Segment]
    """In Self-RAG: what was written from them."""
    best: Segment | None
    """In Self-RAG: the best of all tries for the next segment."""
    accepted: list[Segment]
    """In Self-RAG: the segments of the answer."""
    searched_for: list[str]
    """In Self-RAG: queries tried, beside the question."""
    complete: bool
    """In Self-RAG: whether the model has nothing to add."""
    failure: str
    """In Self-RAG: why the chat model wrote nothing; empty if it did."""
    beams: list[Beam]
    """In Self-RAG with reflection tokens: the best answers so far, best first."""
    depth: int
    """In Self-RAG with reflection tokens: segments that these have."""
    message_id: str
    """Of the message that streams the answer; empty before any of it is streamed."""
    action: Tier
    """Corrective RAG's verdict over all passages."""
    search_web: bool
    web_query: str
    web_passages: list[Passage]
