"""Chat and embedding models by name, embedded or behind an endpoint."""

from groundgraph.models.calls import Reply, ask, chat_cap, logprobs_feature, stream
from groundgraph.models.chat import PROVIDERS, chat_model, chat_models, check_provider, default_chat_model
from groundgraph.models.completions import complete, completion_cap, completion_models, special_tokens_feature
from groundgraph.models.continuation import Continuation, continuation, continuing
from groundgraph.models.embeddings import (
    EMBEDDING_PROVIDERS,
    EmbeddingModel,
    check_embedding_model,
    default_embedding_model,
    embedding_model,
    embedding_models,
)
from groundgraph.models.logprobs import TokenLogprob, joined_tokens, token_logprobs, token_spans, tokens_between
from groundgraph.models.several import ask_several, choices_feature
from groundgraph.models.structured import ask_json, json_schema_feature, parse_all
from groundgraph.models.token_access import token_access
from groundgraph.models.weights import resolve_weights, weights_status

__all__ = [
    "EMBEDDING_PROVIDERS",
    "PROVIDERS",
    "Continuation",
    "EmbeddingModel",
    "Reply",
    "TokenLogprob",
    "ask",
    "ask_json",
    "ask_several",
    "chat_model",
    "check_embedding_model",
    "check_provider",
    "complete",
    "continuation",
    "default_chat_model",
    "default_embedding_model",
    "embedding_model",
    "forget_models",
    "joined_tokens",
    "parse_all",
    "resolve_weights",
    "stream",
    "token_access",
    "token_logprobs",
    "token_spans",
    "tokens_between",
    "weights_status",
]


def forget_models() -> None:
    """Forget every live model and what was learned about endpoints, as after a change of settings."""
    for cache in (chat_models, completion_models, embedding_models, continuing, token_access):
        cache.clear()
    for feature in (logprobs_feature, json_schema_feature, choices_feature, special_tokens_feature):
        feature.clear()
    for cap in (chat_cap, completion_cap):
        cap.clear()
