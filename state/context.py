"""The settings of one run: the `context_schema` of every graph, a form in LangGraph Studio."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from groundgraph.errors import InputError, shown
from groundgraph.knowledge.filter import Filter
from state.blocks import (
    AdaptiveSettings,
    AdvancedSettings,
    Block,
    CascadeSettings,
    CragSettings,
    FlareSettings,
    HydeSettings,
    Probability,
    RouterSettings,
    SelfRagSettings,
)

CHAT_EVALUATORS = frozenset({"cascade", "llm", "reflection"})
"""Evaluators that ask the chat model."""

PROVIDER_AND_MODEL = r"^[^:\s]+:\S.*$"
Preset = Literal["auto", "default", "paper", "embedded", "strict", "balanced", "loose"]


class SearchWeights(Block):
    """How much each leg of a hybrid search counts; a leg of weight 0 is left out."""

    vector: float = Field(1.0, ge=0, le=100, description="Weight of the search by meaning.")
    keyword: float = Field(1.0, ge=0, le=100, description="Weight of the search by words.")

    @model_validator(mode="after")
    def _not_both_zero(self) -> Self:
        if not (self.vector or self.keyword):
            raise ValueError("vector and keyword must not both be 0")
        return self


class Context(Block):
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
        "model",
        description="Answer by the chat model, or quote the best supporting sentences without any model; an evaluator "
        "or refiner that asks the chat model still does if it is named.",
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
    web_provider: str = Field(
        "tavily",
        description="What searches the web: tavily, searxng, or collection:NAME for a collection in place of the web.",
    )
    web_pages: bool = Field(
        False, description="Read the pages of web results, of public hosts only, and not just the provider's words."
    )
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
