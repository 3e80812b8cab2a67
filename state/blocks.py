"""The settings of each pattern, of the router and of the cascade: the blocks of Context."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Probability = Annotated[float, Field(ge=0, le=1)]


class Block(BaseModel):
    """Settings that belong together; frozen, and no key that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def _check_order(self, low: str, high: str) -> None:
        if getattr(self, low) > getattr(self, high):
            raise ValueError(f"{low}={getattr(self, low)} must not be above {high}={getattr(self, high)}")


class CragSettings(Block):
    """Corrective RAG: when to trust what was retrieved, and how to refine it."""

    policy: Literal["paper", "mean", "per_document"] = Field(
        "paper",
        description="paper: the best passage decides; mean: the mean score decides; per_document: each passage "
        "is corrected on its own.",
    )
    theta_high: Probability = Field(0.79, description="A passage scored at or above is Correct.")
    theta_low: Probability = Field(0.50, description="A passage scored at or below is Incorrect.")
    theta_keep: Probability = Field(
        0.05,
        description="Policy paper: beside a passage that is not Incorrect, those scored above this are refined too.",
    )
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


class HydeSettings(Block):
    """HyDE: what is written in place of the documents that would answer, and how their vectors become one."""

    k: int = Field(3, ge=1, le=32, description="Hypothetical documents to write.")
    temperature: float = Field(0.7, ge=0, le=2, description="Temperature at which they are written.")
    max_tokens: int = Field(256, ge=16, le=2048, description="Tokens that each may have.")
    pool: Literal["mean", "max"] = Field(
        "mean", description="Make one vector of theirs by the mean, or by the largest value of each component."
    )
    include_question: bool = Field(True, description="Whether the question's own vector is pooled with theirs.")


class FlareSettings(Block):
    """FLARE: when a sentence is uncertain, what is searched for then, and how the answer goes on."""

    theta: Probability = Field(0.2, description="A sentence less confident is uncertain; 0: none ever is.")
    beta: Probability = Field(0.4, description="A token less probable is left out of the query; 0: none ever is.")
    query: Literal["mask", "question", "prefix", "passage"] = Field(
        "mask",
        description="Search for the sentence without improbable tokens, for questions about them, for the question "
        "and the end of the answer so far, or for the question and the passage that the sentence cites.",
    )
    keep: Literal["gather", "replace"] = Field(
        "gather", description="Write on from all passages retrieved so far, or from those retrieved last."
    )
    max_steps: int = Field(10, ge=1, le=100, description="Sentences at most.")
    sentence_tokens: int = Field(64, ge=16, le=512, description="Tokens a draft may have.")
    top_k: int = Field(3, ge=1, le=100, description="Passages to retrieve for a sentence.")
    retrieve_per_step: int = Field(1, ge=1, le=5, description="Retrievals for one sentence that stays uncertain.")
    uncertainty: Literal["min_prob", "mean_prob", "entropy", "agreement", "verbalised"] = Field(
        "min_prob",
        description="Confidence of a sentence: its least or mean token probability, the openness of its most open "
        "place, its agreement with other samples, which is used where there are no log probabilities, or what the "
        "model says when asked.",
    )
    samples: int = Field(3, ge=1, le=16, description="Samples to compare with in uncertainty=agreement.")
    variant: Literal["paper", "official_code"] = Field(
        "paper",
        description="official_code: thresholds hold for equality too, theta=0 means always, and confident sentences "
        "are written again as well, without retrieval.",
    )


class AdvancedSettings(Block):
    """Advanced RAG: when a question is decomposed, and into how many."""

    decompose: Literal["model", "cued", "off"] = Field(
        "model",
        description="model: the chat model decides for each question; cued: it is asked only where the wording hints "
        "at several parts or a chain; off: never.",
    )
    max_subquestions: int = Field(4, ge=2, le=4, description="Sub-questions at most.")


class AdaptiveSettings(Block):
    """Adaptive RAG: how good what was retrieved must be, by the score of the best passage."""

    theta_high: Probability = Field(0.7, description="Below it, rewrite the question and retrieve once more.")
    theta_low: Probability = Field(0.5, description="Below it then, refuse, or let the chat model supplement.")
    theta_keep: Probability = Field(0.05, description="Answer from the passages scored above this.")
    supplement: bool = Field(
        False, description="Let the chat model answer from its own knowledge, marked so, where the documents do not."
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        self._check_order("theta_low", "theta_high")
        return self


class CascadeSettings(Block):
    """Evaluator cascade: which passages the chat model reads after the embedded evaluator, and for how long."""

    low: Probability = Field(0.2, description="A passage that the embedded evaluator scores at or below is settled.")
    high: Probability = Field(0.9, description="Where a passage scores at or above, the chat model reads none.")
    passages: int = Field(5, ge=1, le=20, description="Passages to take sentences from, the best of the doubtful ones.")
    seconds: float = Field(20.0, gt=0, le=600, description="Wall time for reading; what is left keeps its score.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low={self.low} must not be above high={self.high}")
        return self


Score = Annotated[float, Field(ge=1, le=5)]


class SelfRagSettings(Block):
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


class RouterSettings(Block):
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
