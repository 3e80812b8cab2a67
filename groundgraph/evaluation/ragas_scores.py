"""The four RAGAS metrics by the package `ragas` itself, asking the run's judge and embedding model (extra `ragas`)."""

import asyncio
import math
import os
from typing import Any

from langchain_core.outputs import Generation, LLMResult

from groundgraph.errors import GroundgraphError, ModelError
from groundgraph.evaluation.grounding import Figure, cited_statements
from groundgraph.evaluation.judge import ModelJudge
from groundgraph.evaluation.records import Row
from groundgraph.models import EmbeddingModel

REPLY_TOKENS = 1024
RAGAS = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")


class RagasJudge(ModelJudge):
    """Leaves the four RAGAS metrics to the package `ragas`, and judges the others itself."""

    async def figure(self, name: str, row: Row) -> Figure:
        """Return the metric of this name as the package has it.

        Raises:
            ModelError: The package is not here, or the judge's endpoint refuses.
            ModelUnavailable: The judge's endpoint does not answer.
        """
        import_ragas()
        if name.startswith("context_") and not row.answers:
            return Figure(None, "ragas needs a gold answer")
        from ragas.dataset_schema import SingleTurnSample
        from ragas.exceptions import RagasException

        sample = SingleTurnSample(
            user_input=row.question,
            response=" ".join(statement.text for statement in cited_statements(row)),
            retrieved_contexts=[passage.context for passage in row.passages],
            reference=row.answers[0] if row.answers else None,
        )
        try:
            value = float(await _metric(name, self).single_turn_ascore(sample))
        except RagasException as error:
            return Figure(None, f"ragas: {error}")
        return Figure(None, "ragas gave no value") if math.isnan(value) else Figure(value)


def import_ragas() -> None:
    """Import the package, and keep it from reporting to its makers.

    Raises:
        ModelError: It is not here, or does not fit the other packages.
    """
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # read whenever it is about to send what was evaluated, and how
    try:
        import ragas.metrics  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"--ragas needs the package ragas ({error}): "
            "pip install -c constraints-ragas.txt '.[local,ragas]' in an environment of its own"
        ) from None


def _metric(name: str, judge: ModelJudge) -> Any:
    from ragas.metrics._answer_relevance import ResponseRelevancy
    from ragas.metrics._context_precision import LLMContextPrecisionWithReference
    from ragas.metrics._context_recall import LLMContextRecall
    from ragas.metrics._faithfulness import Faithfulness

    llm = _llm(judge)
    if name == "answer_relevancy":
        return ResponseRelevancy(llm=llm, embeddings=_Embeddings(judge.embedding))
    kinds = {
        "faithfulness": Faithfulness,
        "context_precision": LLMContextPrecisionWithReference,
        "context_recall": LLMContextRecall,
    }
    return kinds[name](llm=llm)


def _llm(judge: ModelJudge) -> Any:
    """Return the judge in the package's terms; our own call, so that thinking, errors and cost are seen to."""
    from ragas.llms.base import BaseRagasLLM
    from ragas.run_config import RunConfig

    class _Judge(BaseRagasLLM):  # type: ignore[misc]
        def generate_text(self, *_: Any, **__: Any) -> LLMResult:
            raise NotImplementedError("ragas is only used asynchronously")

        async def agenerate_text(
            self, prompt: Any, n: int = 1, temperature: float | None = None, stop: Any = None, callbacks: Any = None
        ) -> LLMResult:
            replies = await asyncio.gather(
                *(judge.ask(prompt.to_messages(), REPLY_TOKENS, temperature or 0.0) for _ in range(n))
            )
            return LLMResult(generations=[[Generation(text=reply.text) for reply in replies]])

        def is_finished(self, response: LLMResult) -> bool:
            return True  # a reply that was cut does not parse

    once = RunConfig(max_retries=1, exception_types=(GroundgraphError,))  # our call has tried again already
    return _Judge(run_config=once)


class _Embeddings:
    """Questions as the package compares them."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model

    def embed_query(self, text: str) -> list[float]:
        return [float(component) for component in self._model.embed_query(text)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]
