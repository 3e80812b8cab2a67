"""A tiny T5 made on the spot; skipped where transformers is not installed."""

from pathlib import Path
from typing import Any

import pytest

from groundgraph.errors import ModelError
from groundgraph.grading.t5 import t5_evaluator
from tests.doubles import passage

transformers: Any = pytest.importorskip("transformers")
tokenizers: Any = pytest.importorskip("tokenizers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    words = "<pad> </s> <unk> how high is the tower 330 metres cats purr [SEP]".split()
    model = tokenizers.models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(tmp_path)
    return tmp_path


def config() -> Any:
    return transformers.T5Config(
        vocab_size=16, d_model=8, d_kv=4, d_ff=16, num_layers=1, num_heads=2, num_labels=1,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip


def test_scores_are_brought_from_minus_1_and_1_to_0_and_1(folder: Path) -> None:
    transformers.T5ForSequenceClassification(config()).save_pretrained(folder)
    evaluator = t5_evaluator(str(folder))
    scores = evaluator.score("how high is the tower", [passage("330 metres"), passage(" "), passage("cats purr")])
    assert len(scores) == 3 and all(0 <= score <= 1 for score in scores)
    assert scores[1] == 0.0, "the paper scores an empty passage -1"
    assert evaluator.score("how high", []) == []


def test_a_model_without_the_trained_output_is_refused(folder: Path) -> None:
    transformers.T5ForConditionalGeneration(config()).save_pretrained(folder)
    with pytest.raises(ModelError, match="is not trained to score passages"):
        t5_evaluator(str(folder))


def test_a_path_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"t5 evaluator .* cannot be loaded"):
        t5_evaluator(str(tmp_path))
