"""Fine-tune a language model to write reflection tokens among its text, by TRL (arXiv:2310.11511, section 3.2).

The text of passages is left out of the loss, as in the paper: the model is to judge what it is given, not to write it.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from groundgraph.errors import InputError, ModelError, shown
from groundgraph.grading.reflection import KINDS
from groundgraph.grading.reflection_card import EXAMPLES, SPECIAL_TOKENS

UNTRAINED = -100
"""Label of a token that is left out of the loss."""

Encoded = dict[str, list[int]]
Done = Callable[[str, int, int], None]
"""Told what is being done, how much is done, and of how much."""

_WARMUP = 0.03
"""Share of the steps."""
_PASSAGE = re.compile(r"<paragraph>.*?</paragraph>", re.DOTALL)


class Example(BaseModel):
    """An instruction as the model gets it, and the response that it is to write."""

    model_config = ConfigDict(frozen=True)

    prompt: str
    completion: str


@dataclass(frozen=True)
class Recipe:
    """How to fine-tune: as the paper does, but for its batches of 128."""

    epochs: float = 3.0
    learning_rate: float = 2e-5
    """Its peak, after a rise over the first 3 % of the steps."""
    batch_size: int = 8
    max_length: int = 2048
    """Tokens of an example; longer ones are left out, since their last tokens say the most."""
    held_out: float = 0.1
    """Share of the examples that only measure, in [0, 1)."""
    seed: int = 0
    """Of the order, and of which examples are held out."""


@dataclass(frozen=True)
class Trained:
    """What came of fine-tuning."""

    examples: int
    """How many it was fine-tuned on."""
    left_out: int
    """How many were too long."""
    steps: int
    loss: float
    """Mean over all steps."""
    accuracy: dict[str, tuple[int, int]]
    """By kind of reflection token: of how many in held-out examples it is the model's likeliest, and of how many."""


def fine_tune(
    data: Path, base: str, out: Path, recipe: Recipe = Recipe(), done: Done = lambda what, count, total: None
) -> Trained:
    """Add the reflection tokens to a causal language model, fine-tune all of its weights, and save both.

    Args:
        data: A folder that `groundgraph self-rag label` wrote.
        base: The model: a folder, or a name on Hugging Face.
        out: Folder of the fine-tuned model and its tokenizer.
        recipe: How to fine-tune.
        done: Told of progress.

    Raises:
        InputError: There are no examples, or one cannot be read.
        ModelError: TRL is not installed, or the base model cannot be had.
    """
    examples = load_examples(data)
    tokenizer, model = base_with_tokens(base)
    encoded = [encode(example, tokenizer) for example in examples]
    fitting = [one for one in encoded if len(one["input_ids"]) <= recipe.max_length]
    random.Random(recipe.seed).shuffle(fitting)
    apart = round(recipe.held_out * len(fitting))
    if apart == len(fitting):
        raise InputError(f"examples {str(data)!r}: none has {recipe.max_length} tokens or fewer; raise max_length")
    result = _trainer(model, tokenizer, fitting[apart:], out, recipe, done).train()
    model.eval()
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    return Trained(
        len(fitting) - apart,
        len(encoded) - len(fitting),
        result.global_step,
        result.training_loss,
        accuracy(model, tokenizer, fitting[:apart]),
    )


def load_examples(data: Path) -> list[Example]:
    """Read the examples in a folder.

    Raises:
        InputError: There are none, or a line is none; the message names it.
    """
    file = data / EXAMPLES
    try:
        lines = file.read_text(encoding="utf-8").rstrip("\n").split("\n")  # a text may hold other line separators
    except (OSError, UnicodeDecodeError):
        raise InputError(f"examples {str(file)!r}: cannot be read; make them with groundgraph self-rag label") from None
    examples = []
    for number, line in enumerate(filter(None, lines), 1):
        try:
            examples.append(Example.model_validate_json(line))
        except ValidationError:
            raise InputError(
                f"examples {str(file)!r} line {number}: {shown(line)} has no prompt and completion"
            ) from None
    if not examples:
        raise InputError(f"examples {str(file)!r}: no line; label pairs with groundgraph self-rag label first")
    return examples


def base_with_tokens(base: str) -> tuple[Any, Any]:
    """Return the tokenizer and the model of this name, each reflection token one token of theirs.

    Raises:
        ModelError: TRL is not installed, or the model cannot be had.
    """
    try:
        import trl  # noqa: F401
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(f"fine-tuning needs TRL ({error}): pip install -c constraints.txt '.[train]'") from None
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        tokenizer, model = AutoTokenizer.from_pretrained(base), AutoModelForCausalLM.from_pretrained(base)
    except (OSError, ValueError) as error:
        said = str(error).split("\n", 1)[0]
        raise ModelError(f"base model {base!r} cannot be loaded: {said}: check the name or the path") from None
    tokenizer.add_tokens(list(SPECIAL_TOKENS), special_tokens=True)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(len(tokenizer))
    return tokenizer, model


def encode(example: Example, tokenizer: Any) -> Encoded:
    """Return the `input_ids` of prompt, completion and end, and their `labels`, -100 for the prompt and passages."""
    text = example.prompt + example.completion
    untrained = [(0, len(example.prompt)), *(found.span() for found in _PASSAGE.finditer(text))]
    encoded = tokenizer(text, return_offsets_mapping=True)
    ids, labels = list(encoded["input_ids"]), []
    for token, (start, end) in zip(ids, encoded["offset_mapping"], strict=True):
        left_out = start == end or any(first <= start and end <= last for first, last in untrained)
        labels.append(UNTRAINED if left_out else token)
    if ids[-1] != tokenizer.eos_token_id:
        ids, labels = [*ids, tokenizer.eos_token_id], [*labels, tokenizer.eos_token_id]
    return {"input_ids": ids, "labels": labels}


def accuracy(model: Any, tokenizer: Any, examples: Sequence[Encoded]) -> dict[str, tuple[int, int]]:
    """Return, by kind of reflection token, of how many in the examples it is the model's likeliest, and of how many."""
    import torch

    kinds = {tokenizer.convert_tokens_to_ids(token): kind for kind, tokens in KINDS.items() for token in tokens}
    counts: dict[str, tuple[int, int]] = {}
    for example in examples:
        with torch.inference_mode():
            logits = model(torch.tensor([example["input_ids"]], device=model.device)).logits[0]
        # The token at a place is foretold at the place before it.
        for label, likeliest in zip(example["labels"][1:], logits[:-1].argmax(-1).tolist(), strict=True):
            if kind := kinds.get(label):
                right, of = counts.get(kind, (0, 0))
                counts[kind] = (right + (label == likeliest), of + 1)
    return {kind: counts[kind] for kind in KINDS if kind in counts}


def _trainer(model: Any, tokenizer: Any, examples: Sequence[Encoded], out: Path, recipe: Recipe, done: Done) -> Any:
    import torch
    from datasets import Dataset
    from transformers import PrinterCallback, TrainerCallback
    from trl import SFTConfig, SFTTrainer

    class Progress(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            done("fine-tuning", state.global_step, state.max_steps)

    config = SFTConfig(
        output_dir=str(out),
        num_train_epochs=recipe.epochs,
        learning_rate=recipe.learning_rate,
        per_device_train_batch_size=recipe.batch_size,
        warmup_steps=_WARMUP,
        seed=recipe.seed,
        bf16=torch.cuda.is_available(),
        dataloader_pin_memory=torch.cuda.is_available(),
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = SFTTrainer(
        model=model,
        args=config,
        train_dataset=Dataset.from_list(list(examples)),
        processing_class=tokenizer,
        callbacks=[Progress()],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer
