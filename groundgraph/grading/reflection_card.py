"""The folder of training data for Self-RAG: the examples, and the card that says what they are and how to use them."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.grading.reflection import NEEDS, RELEVANCE, SUPPORT, UTILITIES
from groundgraph.grading.reflection_data import Labelled

EXAMPLES, CARD = "train.jsonl", "README.md"
SPECIAL_TOKENS = (*NEEDS, *RELEVANCE, *SUPPORT, *UTILITIES, "<paragraph>", "</paragraph>")

FINE_TUNE = """\
## Fine-tune

The command adds the reflection tokens to a model, each as one token, and fine-tunes it by TRL as the paper does: three
passes, a learning rate of 2e-5, the text of the passages left out of the loss. It then says how many reflection tokens
are right in examples held out. All weights are trained, which for a model of 1.5 billion takes a GPU.

```bash
pip install -c constraints.txt '.[train]'
groundgraph self-rag train FOLDER --base Qwen/Qwen2.5-1.5B --out selfrag
```

Serve the result behind an endpoint with completions and log probabilities, and ask it:

```bash
vllm serve selfrag --served-model-name selfrag
groundgraph ask "…" --pattern self_rag --set chat_model=openai:selfrag --set self_rag.critic=tokens
```
"""


def write(folder: Path, labelled: Labelled, about: Mapping[str, str]) -> None:
    """Write the examples as JSON Lines, whole or not at all, and their card.

    Args:
        folder: Made if need be.
        labelled: What came of labelling.
        about: What the card says of its origin, such as the critic and the collections, by name.

    Raises:
        InputError: There is no example; none is written.
    """
    if not labelled.examples:
        reasons = "; ".join(f"{count} × {reason}" for reason, count in labelled.left_out.most_common(3))
        raise InputError(f"no pair could be labelled ({reasons}): no example is written to {str(folder)!r}")
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in labelled.examples)
    draft = folder / f"{EXAMPLES}.tmp"
    draft.write_text(lines, encoding="utf-8")
    draft.replace(folder / EXAMPLES)
    (folder / CARD).write_text(card(folder, labelled, about), encoding="utf-8")


def card(folder: Path, labelled: Labelled, about: Mapping[str, str]) -> str:
    """Return the card in Markdown."""
    origin = "".join(f"- {name}: {value}\n" for name, value in about.items())
    counts = "".join(f"| `{token}` | {labelled.counts[token]} |\n" for token in SPECIAL_TOKENS if "para" not in token)
    agreed = "".join(
        f"| {kind} | {same} of {of} | {same / of:.0%} |\n" for kind, (same, of) in labelled.agreement.items()
    )
    left_out = "".join(f"- {count} × {reason}\n" for reason, count in labelled.left_out.most_common())
    name = shlex.quote(str(folder))
    return (
        "# Training data for Self-RAG\n\n"
        f"{len(labelled.examples)} instructions with answers, in which a critic has put passages and the reflection "
        f"tokens of arXiv:2310.11511. Each line of `{EXAMPLES}` has a `prompt` and a `completion`.\n\n{origin}\n"
        f"## Labels\n\n| Token | Count |\n| --- | --- |\n{counts}\n"
        f"Left out: {sum(labelled.left_out.values())} pairs without all labels.\n\n{left_out}\n"
        "## Agreement\n\nA sample was labelled again by the same critic at temperature 0.7.\n\n"
        f"| Label | Same | Share |\n| --- | --- | --- |\n{agreed}\n"
        f"{FINE_TUNE.replace('FOLDER', name)}"
    )
