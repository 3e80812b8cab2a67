"""Named sets of settings, and what a run's settings come to with them."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from groundgraph.models import default_chat_model
from state.context import Context

EMBEDDED = "llamacpp:"

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "embedded": {
        "compress_tokens": 400,
        "crag": {"theta_low": 0.3},
        "adaptive": {"theta_low": 0.3},
        "hyde": {"k": 1, "max_tokens": 64},
        "flare": {"theta": 0.4, "query": "passage", "top_k": 2, "sentence_tokens": 48, "max_steps": 5},
        "advanced": {"decompose": "cued"},
        "self_rag": {
            "retrieval": "always",
            "passages": 2,
            "relevance": "evaluator",
            "reflection": "joint",
            "max_rewrites": 1,
            "max_segments": 2,
            "segment_tokens": 64,
        },
    },
    # CRAG's thresholds for PopQA (0.59, -0.99) and its floor for strips (-0.5), mapped from [-1, 1]; every passage is
    # refined; five web results.
    # Self-RAG's threshold, weights, beams and depth, which are the defaults too.
    # HyDE's eight documents of at most 512 tokens at temperature 0.7, the question's vector included.
    # FLARE's thresholds, documents and tokens for ASQA, the new documents in place of the old ones.
    "paper": {
        "web_top_k": 5,
        "crag": {
            "policy": "paper",
            "theta_high": 0.795,
            "theta_low": 0.005,
            "theta_keep": 0.0,
            "refine_threshold": 0.25,
        },
        "hyde": {"k": 8, "max_tokens": 512, "temperature": 0.7, "pool": "mean", "include_question": True},
        "flare": {
            "theta": 0.8,
            "beta": 0.4,
            "query": "mask",
            "keep": "replace",
            "sentence_tokens": 64,
            "top_k": 3,
            "uncertainty": "min_prob",
            "variant": "paper",
        },
        "advanced": {"decompose": "model"},
        "self_rag": {
            "retrieval_threshold": 0.2,
            "relevant_weight": 1.0,
            "supported_weight": 1.0,
            "utility_weight": 0.5,
            "beam_width": 2,
            "depth": 7,
            "variant": "paper",
        },
    },
    "strict": {
        "evaluator": "cascade",
        "web_search": "off",
        "require_citations": True,
        "crag": {"theta_high": 0.9, "theta_low": 0.6, "theta_keep": 0.6, "mean_high": 0.8, "mean_low": 0.5},
        "adaptive": {"theta_high": 0.8, "theta_low": 0.6, "theta_keep": 0.6, "supplement": False},
        "self_rag": {"poor_relevant": 3, "poor_supported": 3},
    },
    "balanced": {
        "require_citations": True,
        "crag": {"theta_high": 0.79, "theta_low": 0.5, "mean_high": 0.7, "mean_low": 0.3},
        "adaptive": {"theta_high": 0.7, "theta_low": 0.5},
        "self_rag": {"poor_relevant": 2, "poor_supported": 2},
    },
    # No preset turns the web on: that sends questions to a third party, which a person decides alone.
    "loose": {
        "require_citations": False,
        "crag": {"theta_high": 0.7, "theta_low": 0.3, "mean_high": 0.6, "mean_low": 0.2},
        "adaptive": {"theta_high": 0.6, "theta_low": 0.3},
        "self_rag": {"poor_relevant": 1, "poor_supported": 1},
    },
}
DOUBT = ("strict", "balanced", "loose")
"""Presets that say how much doubt is too much; what the chat model can bear they leave to `auto`."""
ORDERED = (("theta_low", "theta_high"), ("mean_low", "mean_high"))
"""Settings of a block of which a preset sets both or, where a person has set one, none."""

Settings = Mapping[str, Any]
Block = TypeVar("Block", bound=BaseModel)


def settled(context: Context, route: Settings | None = None) -> Context:
    """Return the context with its preset's settings filled in; reads files where it names no chat model.

    A person's settings win over a route's, and both over the preset's. In the result only the former two count as set
    (`model_fields_set`), so that it may be settled again, for a subgraph and its route, and `preset` names what
    `auto` came to.

    Raises:
        InputError: A route's setting is unknown or out of range.
    """
    given = context.model_dump(exclude_unset=True)
    if context.preset == "auto":
        given.pop("preset", None)
    given = _merged(route or {}, given)
    name = given.get("preset", "auto")
    layers: list[Settings] = []
    if name in {"auto", *DOUBT}:
        own = _preset_of_model(context)
        name, layers = own if name == "auto" else name, [PRESETS[own]]
    values: Settings = {}
    for layer in (*layers, PRESETS[name]):
        values = _merged(values, _beside(given, layer))
    return _set_only(Context.parse({**_merged(values, given), "preset": name}), given)


def _preset_of_model(context: Context) -> str:
    model = None if context.answerer == "extractive" else context.chat_model or default_chat_model()
    return "embedded" if model and model.startswith(EMBEDDED) else "default"


def _merged(under: Settings, over: Settings) -> dict[str, Any]:
    """Return both; where both set a key, the second one's value, or for blocks the same of their keys."""
    both = {
        key: _merged(under[key], value) if isinstance(value, Mapping) and isinstance(under.get(key), Mapping) else value
        for key, value in over.items()
    }
    return {**under, **both}


def _beside(given: Settings, preset: Settings) -> dict[str, Any]:
    """Return the preset without those ordered pairs of which one is given, lest the other lie on its wrong side."""
    kept = dict(preset)
    for block, values in preset.items():
        if isinstance(values, Mapping):
            halved = {key for pair in ORDERED if {*pair} & given.get(block, {}).keys() for key in pair}
            kept[block] = {key: value for key, value in values.items() if key not in halved}
    return kept


def _set_only(block: Block, given: Settings) -> Block:
    """Return the block with none but the given settings counting as set."""
    values = {
        name: _set_only(value, given.get(name, {})) if isinstance(value, BaseModel) else value for name, value in block
    }
    return block.model_construct(_fields_set={*given}, **values)
