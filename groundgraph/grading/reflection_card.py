"""The folder of training data for Self-RAG: the examples, and the card that says what they are and how to use them."""

import json
from collections.abc import Mapping
from pathlib import Path

from groundgraph.grading.reflection import NEEDS, RELEVANCE, SUPPORT, UTILITIES
from groundgraph.grading.reflection_data import Labelled

EXAMPLES, CARD = "train.jsonl", "README.md"
SPECIAL_TOKENS = (*NEEDS, *RELEVANCE, *SUPPORT, *UTILITIES, "<paragraph>", "</paragraph>")

FINE_TUNE = """\
## Fine-tune

Each reflection token must be one token of the model, so the tokens are added to a base model first:

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

base = "Qwen/Qwen2.5-1.5B"
tokenizer, model = AutoTokenizer.from_pretrained(base), AutoModelForCausalLM.from_pretrained(base)
tokenizer.add_special_tokens({"additional_special_tokens": TOKENS})
model.resize_token_embeddings(len(tokenizer))
tokenizer.save_pretrained("base-with-tokens")
model.save_pretrained("base-with-tokens")
```

```bash
pip install trl
trl sft --model_name_or_path base-with-tokens --dataset_name FOLDER --output_dir selfrag \\
    --num_train_epochs 3 --learning_rate 2e-5 --packing false --completion_only_loss true
```

The paper leaves the text of the passages out of the loss, which these commands do not.

Serve the result behind an endpoint with completions and log probabilities, and ask it:

```bash
vllm serve selfrag --served-model-name selfrag
groundgraph ask "…" --pattern self_rag --set chat_model=openai:selfrag --set self_rag.critic=tokens
```
"""


def write(folder: Path, labelled: Labelled, about: Mapping[str, str]) -> None:
    """Write the examples as JSON Lines and their card; what is there is replaced.

    Args:
        folder: Made if need be.
        labelled: What came of labelling.
        about: What the card says of its origin, such as the critic and the collections, by name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in labelled.examples)
    (folder / EXAMPLES).write_text(lines, encoding="utf-8")
    (folder / CARD).write_text(card(folder, labelled, about), encoding="utf-8")


def card(folder: Path, labelled: Labelled, about: Mapping[str, str]) -> str:
    """Return the card in Markdown."""
    origin = "".join(f"- {name}: {value}\n" for name, value in about.items())
    counts = "".join(f"| `{token}` | {labelled.counts[token]} |\n" for token in SPECIAL_TOKENS if "para" not in token)
    agreed = "".join(
        f"| {kind} | {same} of {of} | {same / of:.0%} |\n" for kind, (same, of) in labelled.agreement.items()
    )
    left_out = "".join(f"- {count} × {reason}\n" for reason, count in labelled.left_out.most_common())
    tokens, name = json.dumps(SPECIAL_TOKENS), json.dumps(str(folder))
    return (
        "# Training data for Self-RAG\n\n"
        f"{len(labelled.examples)} instructions with answers, in which a critic has put passages and the reflection "
        f"tokens of arXiv:2310.11511. Each line of `{EXAMPLES}` has a `prompt` and a `completion`.\n\n{origin}\n"
        f"## Labels\n\n| Token | Count |\n| --- | --- |\n{counts}\n"
        f"Left out: {sum(labelled.left_out.values())} pairs without all labels.\n\n{left_out}\n"
        "## Agreement\n\nA sample was labelled again by the same critic at temperature 0.7.\n\n"
        f"| Label | Same | Share |\n| --- | --- | --- |\n{agreed}\n"
        f"{FINE_TUNE.replace('TOKENS', tokens).replace('FOLDER', name)}"
    )
