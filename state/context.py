"""The settings of one run: the `context_schema` of every graph, a form in LangGraph Studio."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from groundgraph.errors import InputError, shown
from groundgraph.knowledge.filter import Filter

CHAT_EVALUATORS = frozenset({"cascade", "llm", "reflection"})
"""Evaluators that ask the chat model."""

PROVIDER_AND_MODEL = r"^[^:\s]+:\S.*$"
Probability = Annotated[float, Field(ge=0, le=1)]
Preset = Literal["auto", "default", "paper", "embedded", "strict", "balanced", "loose"]


class _Block(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def _check_order(self, low: str, high: str) -> None:
        if getattr(self, low) > getattr(self, high):
            raise ValueError(f"{low}={getattr(self, low)} must not be above {high}={getattr(self, high)}")


class CragSettings(_Block):
    """Corrective RAG: when to trust what was retrieved, and how to refine it."""

    policy: Literal["paper", "mean", "per_document"] = Field(
        "paper",
        description="paper: the best passage decides; mean: the mean score decides; per_document: each passage "
        "is corrected on its own.",
    )
    theta_high: Probability = Field(0.79, description="A passage scored at or above is Correct.")
    theta_low: Probability = Field(0.50, description="A passage scored at or below is Incorrect.")
    mean_high: Probability = Field(0.7, description="Policy mean: Correct from this mean score on.")
    mean_low: Probability = Field(0.3, description="Policy mean: Incorrect up to this mean score.")
    merge_ambiguous: bool = Field(False, description="Treat Ambiguous as Incorrect: the two-tier form.")
    web_when: Literal["none_correct", "any_incorrect"] = Field(
        "none_correct",
        description="Policy per_document: search the web if no passage is Correct, or if any is Incorrect.",
    )
    refiner: Literal["sentences", "llm", "off"] = Field(
        "sentences", description="Keep relevant sentences by the evaluator, by the chat model, or keep passages whole."
    )
    refine_threshold: Probability = Field(0.5, description="Refiner sentences: keep a sentence scored at or above.")
    web_weight: float = Field(
        1.0, ge=0, le=10, description="Factor on a web passage's score when passages are ordered."
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        self._check_order("theta_low", "theta_high")
        self._check_order("mean_low", "mean_high")
        return self


class HydeSettings(_Block):
    """HyDE: what is written in place of the documents that would answer, and how their vectors become one."""

    k: int = Field(3, ge=1, le=32, description="Hypothetical documents to write.")
    temperature: float = Field(0.7, ge=0, le=2, description="Temperature at which they are written.")
    max_tokens: int = Field(256, ge=16, le=2048, description="Tokens that each may have.")
    pool: Literal["mean", "max"] = Field(
        "mean", description="Make one vector of theirs by the mean, or by the largest value of each component."
    )
    include_question: bool = Field(True, description="Whether the question's own vector is pooled with theirs.")


class FlareSettings(_Block):
    """FLARE: when a sentence is uncertain, what is searched for then, and how the answer goes on."""

    theta: Probability = Field(0.2, description="A sentence less confident is uncertain; 0: none ever is.")
    beta: Probability = Field(0.4, description="A token less probable is left out of the query; 0: none ever is.")
    query: Literal["mask", "question", "prefix"] = Field(
        "mask",
        description="Search for the sentence without improbable tokens, for questions about them, or for the question "
        "and the end of the answer so far.",
    )
    keep: Literal["gather", "replace"] = Field(
        "gather", description="Write on from all passages retrieved so far, or from those retrieved last."
    )
    max_steps: int = Field(10, ge=1, le=100, description="Sentences at most.")
    sentence_tokens: int = Field(64, ge=16, le=512, description="Tokens a draft may have.")
    top_k: int = Field(3, ge=1, le=100, description="Passages to retrieve for a sentence.")
    retrieve_per_step: int = Field(1, ge=1, le=5, description="Retrievals for one sentence that stays uncertain.")
    uncertainty: Literal["min_prob", "mean_prob", "entropy", "agreement"] = Field(
        "min_prob",
        description="Confidence of a sentence: its least or mean token probability, the openness of its most open "
        "place, or its agreement with other samples; the last is used where there are no log probabilities.",
    )
    samples: int = Field(3, ge=1, le=16, description="Samples to compare with in uncertainty=agreement.")
    variant: Literal["paper", "official_code"] = Field(
        "paper",
        description="official_code: thresholds hold for equality too, theta=0 means always, and confident sentences "
        "are written again as well, without retrieval.",
    )


class AdvancedSettings(_Block):
    """Advanced RAG: when a question is decomposed, and into how many."""

    decompose: Literal["model", "cued", "off"] = Field(
        "model",
        description="model: the chat model decides for each question; cued: it is asked only where the wording hints "
        "at several parts or a chain; off: never.",
    )
    max_subquestions: int = Field(4, ge=2, le=4, description="Sub-questions at most.")


class AdaptiveSettings(_Block):
    """Adaptive RAG: how good what was retrieved must be, by the score of the best passage."""

    theta_high: Probability = Field(0.7, description="Below it, rewrite the question and retrieve once more.")
    theta_low: Probability = Field(0.5, description="Below it then, refuse, or let the chat model supplement.")
    supplement: bool = Field(
        False, description="Let the chat model answer from its own knowledge, marked so, where the documents do not."
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        self._check_order("theta_low", "theta_high")
        return self


class CascadeSettings(_Block):
    """Evaluator cascade: which passages the chat model reads after the embedded evaluator, and for how long."""

    low: Probability = Field(0.2, description="A passage that the embedded evaluator scores at or below is settled.")
    high: Probability = Field(0.85, description="Where a passage scores at or above, the chat model reads none.")
    passages: int = Field(2, ge=1, le=20, description="Passages read at most, the best of the doubtful ones.")
    seconds: float = Field(20.0, gt=0, le=600, description="Wall time for reading; what is left keeps its score.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low={self.low} must not be above high={self.high}")
        return self


Score = Annotated[float, Field(ge=1, le=5)]


class SelfRagSettings(_Block):
    """Self-RAG: when to retrieve, how segments are judged, and how the answer goes on."""

    critic: Literal["prompted", "tokens"] = Field(
        "prompted",
        description="prompted: any chat model rates segments when asked; tokens: chat_model is fine-tuned on "
        "reflection tokens, and is read through its completions endpoint.",
    )
    retrieval: Literal["adaptive", "always"] = Field(
        "adaptive", description="adaptive: the chat model decides before each segment; always: without asking it."
    )
    retrieval_threshold: Probability = Field(
        0.2, description="Retrieve where the model's share of yes against no is above."
    )
    passages: int = Field(5, ge=1, le=20, description="Passages to write a segment from, each by itself.")
    relevance: Literal["critic", "evaluator"] = Field(
        "critic", description="What says how relevant a passage is: the chat model, or the run's evaluator."
    )
    reflection: Literal["separate", "joint"] = Field(
        "separate", description="Ask the critic for each score by itself, or for all of a segment's in one call."
    )
    relevant_weight: float = Field(1.0, ge=0, le=10, description="Weight of relevance among the scores.")
    supported_weight: float = Field(1.0, ge=0, le=10, description="Weight of support among the scores.")
    utility_weight: float = Field(0.5, ge=0, le=10, description="Weight of utility among the scores.")
    poor_relevant: Score = Field(2, description="Up to this relevance, rewrite the question and retrieve again.")
    poor_supported: Score = Field(2, description="Up to this support, too; in the end such a segment is left out.")
    enough_utility: Score = Field(4, description="From this utility on, the answer is complete.")
    max_rewrites: int = Field(2, ge=0, le=5, description="Retrievals for a rewritten question, in all.")
    max_segments: int = Field(4, ge=1, le=20, description="Segments of the answer at most.")
    segment_tokens: int = Field(96, ge=16, le=1024, description="Tokens that a segment may have.")
    form: Literal["long", "short"] = Field(
        "long", description="Critic tokens: a tree of segments, or one segment from the best passage."
    )
    closed: bool = Field(
        False, description="Critic tokens, short form: sum the scores of equal answers, for questions with few answers."
    )
    beam_width: int = Field(2, ge=1, le=10, description="Critic tokens, long form: answers that grow side by side.")
    depth: int = Field(7, ge=1, le=20, description="Critic tokens, long form: segments of an answer at most.")
    retrieve_again: bool = Field(
        True,
        description="Critic tokens, long form: search for the question and the segments so far; false: write on from "
        "the passages found first, as the official code does.",
    )
    sequence_weight: float = Field(
        0.0, ge=0, le=10, description="Critic tokens: weight of the segment's own probability among the scores."
    )
    variant: Literal["paper", "official_code"] = Field(
        "paper",
        description="Critic tokens: official_code applies the retrieval threshold to log probabilities in the short "
        "form, which inverts it.",
    )

    @model_validator(mode="after")
    def _weighed(self) -> Self:
        if not (self.relevant_weight or self.supported_weight or self.utility_weight):
            raise ValueError("relevant_weight, supported_weight and utility_weight must not all be 0")
        return self


class RouterSettings(_Block):
    """The router: which pattern answers which intent."""

    classifier: Literal["embedded", "llm"] = Field(
        "embedded", description="Classify the intent by e5 similarity to sample utterances, or by the chat model."
    )
    pattern: str | None = Field(None, description="Force one pattern; skips classification.")
    default: str = Field("crag", description="Pattern for a low-confidence or unknown intent.")
    min_confidence: Probability = Field(0.6, description="Below it, the default pattern answers.")
    min_fit: Probability = Field(0.3, description="Below it, no intent fits, and the pattern no_fit answers.")
    no_fit: str = Field("adaptive", description="Pattern where no intent fits.")
    pick_collections: bool = Field(
        True, description="Of several collections, search those that are about the question's subject."
    )
    table: dict[str, str] = Field(default_factory=dict, description="Overrides of the table intent → pattern.")


class SearchWeights(_Block):
    """How much each leg of a hybrid search counts; a leg of weight 0 is left out."""

    vector: float = Field(1.0, ge=0, le=100, description="Weight of the search by meaning.")
    keyword: float = Field(1.0, ge=0, le=100, description="Weight of the search by words.")

    @model_validator(mode="after")
    def _not_both_zero(self) -> Self:
        if not (self.vector or self.keyword):
            raise ValueError("vector and keyword must not both be 0")
        return self


class Context(_Block):
    """Settings of one run. JSON values only; models and collections go by name."""

    preset: Preset = Field(
        "auto",
        description="Named settings; what is set beside them wins. auto: embedded for an embedded chat model, else "
        "default; paper: the papers' figures; strict, balanced, loose: how much doubt leads to a refusal.",
    )
    chat_model: str | None = Field(
        None,
        pattern=PROVIDER_AND_MODEL,
        description="provider:model. Default: the endpoint in the environment, else the embedded model, else none.",
    )
    answerer: Literal["model", "extractive"] = Field(
        "model", description="Answer by the chat model, or quote the best supporting sentences without any model."
    )
    on_model_failure: Literal["extractive", "error"] = Field(
        "extractive", description="When the chat endpoint is down: quote sentences with a warning, or fail."
    )
    max_tokens: int = Field(256, ge=16, le=8192, description="Tokens the answer may have.")
    prompt_tokens: int = Field(
        2400, ge=100, le=1_000_000, description="Tokens the prompt may have; the best passages are kept, whole."
    )
    embedding_model: str | None = Field(
        None, pattern=PROVIDER_AND_MODEL, description="provider:model. Default: the one each collection was built with."
    )
    evaluator: str = Field(
        "embedded",
        pattern=r"^(embedded|cascade|llm|reflection|(cross-encoder|t5):.+)$",
        description="What scores a passage against the question: embedded, cascade, llm, reflection, cross-encoder:"
        "<model or path> or t5:<model or path>.",
    )
    collections: list[str] = Field(["default"], min_length=1, description="Collections to search; * means all.")
    top_k: int = Field(5, ge=1, le=100, description="Passages to retrieve.")
    search_mode: Literal["hybrid", "vector", "keyword"] = Field("hybrid", description="Legs of the search.")
    rerank: str = Field(
        "off",
        pattern=r"^(off|evaluator|cross-encoder:.+)$",
        description="Retrieve 4 × top_k passages, and keep the top_k that the evaluator, or cross-encoder:<model or "
        "path>, ranks first.",
    )
    rewrite: Literal["auto", "on", "off"] = Field(
        "auto", description="Rewrite questions to search terms; auto: colloquial ones, and those that find little."
    )
    compress_tokens: int = Field(
        600, ge=20, le=1_000_000, description="Tokens that the node compress leaves of all passages together."
    )
    search_weights: SearchWeights = SearchWeights()
    where: Filter = Filter()
    mmr: Probability | None = Field(
        None, description="Maximal marginal relevance, from 0 (different passages) to 1 (relevant ones); null: off."
    )
    web_search: Literal["off", "ask", "on"] = Field(
        "off", description="Whether a graph may search the web; ask interrupts with the exact query to be sent."
    )
    web_provider: str = Field("tavily", description="Web search provider.")
    web_top_k: int = Field(3, ge=1, le=20, description="Web results to take; 2 at most when mixed with local passages.")
    language: Literal["auto", "en", "zh"] = Field("auto", description="Language of the answer; auto: the question's.")
    require_citations: bool = Field(
        True, description="Refuse an answer that has neither a citation nor support in the passages."
    )
    max_concurrency: int = Field(8, ge=1, le=256, description="Model calls in flight at once.")
    hyde: HydeSettings = HydeSettings()
    flare: FlareSettings = FlareSettings()
    advanced: AdvancedSettings = AdvancedSettings()
    crag: CragSettings = CragSettings()
    adaptive: AdaptiveSettings = AdaptiveSettings()
    cascade: CascadeSettings = CascadeSettings()
    self_rag: SelfRagSettings = SelfRagSettings()
    router: RouterSettings = RouterSettings()

    @classmethod
    def parse(cls, value: "Context | Mapping[str, Any] | None") -> "Context":
        """Return `value` as a Context; None gives the defaults.

        Raises:
            InputError: A key is unknown or a value is out of range; the message names key, value and range.
        """
        if isinstance(value, Context):
            return value
        if not isinstance(value, Mapping | None):
            raise InputError(f"context={shown(value)}: give a Context or a mapping of its settings")
        try:
            return cls.model_validate(dict(value or {}))
        except ValidationError as error:
            raise InputError("; ".join(_one_line(e) for e in error.errors())) from None


def _one_line(error: Any) -> str:
    key = ".".join(str(part) for part in ("Context", *error["loc"]))
    if error["type"] == "extra_forbidden":
        known: Any = Context if len(error["loc"]) == 1 else Context.model_fields[error["loc"][0]].annotation
        return f"{key}: unknown key; known are {', '.join(known.model_fields)}"
    return f"{key}={shown(error['input'])}: {error['msg'].removeprefix('Value error, ')}"
