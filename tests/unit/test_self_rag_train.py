"""`groundgraph self-rag train`: a tiny model made on the spot learns to write reflection tokens where they belong.

Fine-tuning it needs the extra `train`, and takes half a minute.
"""

import json
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from groundgraph.cli.app import run
from groundgraph.grading.reflection import RETRIEVAL, instruction
from groundgraph.grading.reflection_card import write
from groundgraph.grading.reflection_data import Labelled, Part, interleaved
from groundgraph.knowledge.passage import Passage
from tests.doubles import FixedSearch, passage
from tests.endpoint import Endpoint, Request
from tests.reflections import path, step

tiny = pytest.mark.skipif(find_spec("trl") is None, reason="TRL is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # torch and its users warn of each other

THINGS = ("tower", "bridge", "house", "library", "harbour", "station", "museum", "school", "theatre", "temple")
UNSEEN = "castle"
COLOURS = ("green", "white", "brown", "red", "blue")
TALL, PAINTED, CATS = (
    "The {thing} is {height} metres tall.",
    "The {thing} was painted {colour}.",
    "Cats purr {height} times.",
)


def about(text: str, thing: str, number: int) -> Passage:
    return passage(text.format(thing=thing, height=40 + number, colour=COLOURS[number % 5]), f"{thing}.md")


def examples(count: int = 320) -> Iterator[dict[str, str]]:
    """Yield what a critic would label: three passages of different worth for a question, and a greeting."""
    for number in range(count // 4):
        thing = THINGS[number % len(THINGS)]
        for text, label, utility in (
            (TALL, {"support": "full"}, 5),
            (PAINTED, {"support": "none"}, 1),
            (CATS, {"relevant": False}, 1),
        ):
            part = Part("It is tall.", "yes", about(text, thing, number), **label)  # type: ignore[arg-type]
            question = instruction(f"How tall is the {thing}?")
            yield {"prompt": question, "completion": interleaved([part], utility)}
        yield {"prompt": instruction(f"Greet the {thing}."), "completion": interleaved([Part("Hello!", "no")], 5)}


def make_base(folder: Path, texts: list[str]) -> None:
    """Save a causal language model of two layers with random weights, and a tokenizer of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    set_seed(7)
    letters = pre_tokenizers.ByteLevel.alphabet()
    own = Tokenizer(models.BPE())
    own.pre_tokenizer, own.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    own.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=400, initial_alphabet=letters, special_tokens=["</s>"], show_progress=False),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=own, eos_token="</s>")
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=256, bos_token_id=None, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labelled")
    write(folder, Labelled(list(examples())), {})
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base(folder, [one["prompt"] + one["completion"] for one in examples(40)])
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("selfrag")
    options = ["--epochs", "8", "--learning-rate", "3e-3", "--batch-size", "16", "--seed", "1", "--quiet"]
    assert run(["self-rag", "train", str(data), "--base", str(base), "--out", str(out), *options]) == 0
    return out


class Served(Endpoint):
    """An endpoint behind which a model in a folder writes, with the log probabilities of the 20 likeliest tokens."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder)
        self.known: dict[str, dict[str, Any]] = {}
        super().__init__(reply=self.write, logprobs=self.known.__getitem__)

    def write(self, request: Request) -> str:
        import torch

        encoded = self.tokenizer(request["prompt"][0], return_tensors="pt")
        ids, tokens, numbers, tops = encoded["input_ids"], [], [], []
        for _ in range(request["max_tokens"]):
            with torch.inference_mode():
                likeliest = self.model(ids).logits[0, -1].log_softmax(-1).topk(20)
            words = [self.tokenizer.decode([place]) for place in likeliest.indices.tolist()]
            if words[0] == self.tokenizer.eos_token:
                break
            tokens.append(words[0])
            numbers.append(likeliest.values[0].item())
            tops.append(dict(zip(words, likeliest.values.tolist(), strict=True)))
            ids = torch.cat([ids, likeliest.indices[:1][None]], dim=1)
        text = "".join(tokens)
        self.known[text] = {"tokens": tokens, "token_logprobs": numbers, "top_logprobs": tops}
        return text


def answer(endpoint: Endpoint, question: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    from graphs.self_rag import graph

    endpoint.configure(monkeypatch, max_retries=0)
    self_rag = {"critic": "tokens", "form": "short"}
    return graph.invoke({"question": question}, context={"chat_model": "openai:selfrag", "self_rag": self_rag})


@tiny
@pytest.mark.train
def test_a_tiny_model_learns_to_write_the_tokens(
    trained: Path, finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a thing that it never read of, it asks for documents, and tells what they are worth; it greets without any."""
    finds([about(text, UNSEEN, 99) for text in (CATS, PAINTED, TALL)])
    with Served(trained) as endpoint:
        result = answer(endpoint, f"How tall is the {UNSEEN}?", monkeypatch)
        greeted = answer(endpoint, f"Greet the {UNSEEN}.", monkeypatch)
    cats, painted, tall = step(result, "expand")["figures"]["segments"]
    assert step(result, "probe")["figures"][RETRIEVAL] > 0.9
    assert cats["relevant"] < 2 and painted["relevant"] > 4 and tall["relevant"] > 4
    assert painted["supported"] < 2 and tall["supported"] > 4
    assert tall["utility"] > 4 > 2 > painted["utility"]
    assert result["answer"] == "It is tall. [3]" and result["warnings"] == []
    assert path(greeted)[-2:] == ["probe", "refuse"] and step(greeted, "probe")["decision"] == "no"


@tiny
@pytest.mark.train
def test_what_was_learned_is_measured_on_examples_held_out(
    data: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trained model is the base of a further, short training: it knows the tokens before and after."""
    options = ["--out", str(tmp_path / "again"), "--epochs", "0.05", "--held-out", "0.2", "--json"]
    assert run(["self-rag", "train", str(data), "--base", str(trained), *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["examples"] == 256 and report["left_out"] == 0 and report["steps"] == 2
    assert report["accuracy"].keys() == {"need", "relevance", "support", "utility"}
    assert all(figures["right"] == figures["of"] > 10 for figures in report["accuracy"].values())


@tiny
@pytest.mark.train
def test_prompt_and_passages_are_left_out_of_the_loss(base: Path) -> None:
    from groundgraph.grading.reflection_train import UNTRAINED, Example, base_with_tokens, encode

    tokenizer, model = base_with_tokens(str(base))
    assert model.get_input_embeddings().num_embeddings == len(tokenizer)
    example = Example.model_validate(next(examples()))
    encoded = encode(example, tokenizer)
    learned = [label for label in encoded["labels"] if label != UNTRAINED]
    assert tokenizer.decode(learned) == "[Retrieval][Relevant]It is tall.[Fully supported][Utility:5]</s>"
    assert tokenizer.decode(encoded["input_ids"]) == example.prompt + example.completion + "</s>"


@tiny
@pytest.mark.train
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--base", "./no/such/folder"], "error: base model './no/such/folder' cannot be loaded: "),
        (["--max-length", "8"], "none has 8 tokens or fewer; raise max_length"),
    ],
)
def test_what_cannot_be_trained_is_named(
    data: Path, base: Path, tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["self-rag", "train", str(data), "--base", str(base), "--out", str(tmp_path), *options]
    assert run(given) == 2
    printed = capsys.readouterr().err
    assert said in printed and printed.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read; make them with groundgraph self-rag label"),
        ("", "no line; label pairs with groundgraph self-rag label first"),
        ('{"prompt": "Q"}', 'line 1: \'{"prompt": "Q"}\' has no prompt and completion'),
    ],
)
def test_examples_that_cannot_be_used_are_named(
    tmp_path: Path, text: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "train.jsonl").write_text(text)
    assert run(["self-rag", "train", str(tmp_path), "--base", "m", "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr().err
    assert said in printed and printed.count("\n") == 1


def test_a_line_separator_inside_a_text_ends_no_example(tmp_path: Path) -> None:
    from groundgraph.grading.reflection_train import load_examples

    made = [{"prompt": "Q?", "completion": "One\u2028two."}, {"prompt": "Q?", "completion": "Three."}]
    write(tmp_path, Labelled(made), {})
    assert [example.model_dump() for example in load_examples(tmp_path)] == made


def test_without_trl_the_command_says_how_to_get_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "trl", None)
    assert run(["self-rag", "train", str(data), "--base", "m", "--out", str(tmp_path)]) == 2
    assert "pip install -c constraints.txt '.[train]'" in capsys.readouterr().err
