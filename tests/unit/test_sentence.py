"""Where a drafted sentence ends, how it joins the answer, and what is only said again."""

import pytest

from nodes.cite import cited_numbers
from nodes.prompt import unmarked
from nodes.sentence import first_sentence, is_whole, joint, repeated, rest, said_before, sentence_end
from nodes.write_segments import cited
from state.schemas import NO_DRAFT, Draft


@pytest.mark.parametrize(
    ("written", "text", "first"),
    [
        ("", "It is tall. It is brown.", "It is tall."),
        ("", "It is tall [1]. It is brown [2].", "It is tall [1]."),
        ("", "It is tall. [1] It is brown.", "It is tall. [1]"),  # marks after the full stop belong to it
        ("", "It is 3.5 m tall. It is old.", "It is 3.5 m tall."),
        ("", "Dr. Who met J. Doe of the U.S. Army. They left.", "Dr. Who met J. Doe of the U.S. Army."),
        ("", "“Is it?” she asked. He left.", "“Is it?” she asked."),
        ("", "“好。”他说，然后走了。塔很高。", "“好。”他说，然后走了。"),
        ("", "塔高3.5米[1]。塔很旧。", "塔高3.5米[1]。"),
        ("", "铁塔很高！真的吗？是的。", "铁塔很高！"),
        ("", "他说：“好。”并签字了。他走了。", "他说：“好。”并签字了。"),
        ("", "Call `a. B()` first. Then go.", "Call `a. B()` first."),
        ("", "- first item\n- second item", "- first item"),
        ("", "1. One. Two.\n2. Three.", "1. One. Two."),
        ("", "```python\nx = 1. \ny = 2\n```\nDone.", "```python\nx = 1. \ny = 2\n```"),
        ("", "an abandoned end", "an abandoned end"),
        ("It is tall.", " It is brown. It is old.", " It is brown."),
        ("It is 330", " metres tall. It is old.", " metres tall."),
        ("```python\nx = 1.", "\ny = 2. \n```\nSo it is.", "\ny = 2. \n```"),  # goes on inside the code
        ("- first", " item goes on\n- second", " item goes on"),
        ("It is tall.", "", ""),
    ],
)
def test_where_the_next_sentence_ends(written: str, text: str, first: str) -> None:
    assert text[: sentence_end(written, text)] == first


@pytest.mark.parametrize(
    ("written", "text", "continues", "between"),
    [
        ("It is tall [1].", "It is old.", False, " "),
        ("It is tall [1].", " It is old.", True, ""),
        ("It is tall [1].", "It is old.", True, " "),
        ("It is 33", "0 metres tall.", True, ""),
        ("It is 330", "metres tall.", False, " "),
        ("塔很高[1]。", "塔很旧。", False, ""),
        ("It is tall", ", and old", True, ""),
        ("Its parts:", "- a leg", False, "\n"),
        ("Its parts:", "1. a leg", True, "\n"),
        ("", "It is tall.", False, ""),
        ("It is old. [1]", "It is tall.", False, " "),
        ("塔很老。 [1]", "塔很高。", False, ""),
        ("为期", "3.5年。", False, ""),
        ("塔很高。", "Gustave造了它。", False, ""),
        ("塔很高。", "Gustave造了它。", True, ""),
        ("It is tall", ". It is old.", False, ""),
        ("```\nx = 1\n```", "It is old.", False, "\n"),
        ("```\nx = 1\n```", " It is old.", True, "\n"),
        ("```\nx = 1\n```\n[3]", "It is old.", False, "\n"),
        ("It is:\n```python", "x = 1", False, "\n"),
        ("```\nx = 1", "```", False, "\n"),
        ("- run [1]", "It is old.", False, "\n"),
        ("- 跑。", "塔很高。", False, "\n"),
        ("- run [1].", "It goes on.", True, " "),
        ("- run", "fast [1]", False, " "),
        ("| a | b |", "| c | d |", False, "\n"),
        ("Tower", " - the high one", True, ""),
    ],
)
def test_what_stands_between(written: str, text: str, continues: bool, between: str) -> None:
    assert joint(written, text, continues=continues) == between


@pytest.mark.parametrize(
    ("written", "space", "text", "continues", "between"),
    [
        ("if x > 3.5:", "\n    ", "print(x)", False, "\n    "),
        ("if x > 3.5:", "\n    ", "    print(x)", False, "\n"),
        ("if x > 3.5:", "\n    ", "\n    print(x)", True, ""),
        ("if x > 3.5:", "\n    ", "print(x)", True, "\n    "),
        ("- run [1]", "\n\n", "It is old.", False, "\n\n"),
        ("It is old.", "\n\n", "It is tall.", False, "\n\n"),
        ("It is old.", "\n\n", " It is tall.", True, ""),  # it says itself what stands between
        ("The notice", "\n", "s are", True, ""),
        ("It is old.", " ", "- tall", False, "\n"),
    ],
)
def test_what_the_model_wrote_between_before_it_was_cut_is_kept(
    written: str, space: str, text: str, continues: bool, between: str
) -> None:
    assert joint(written, text, continues=continues, space=space) == between


@pytest.mark.parametrize(
    ("written", "text", "left"),
    [
        ("A is B [1]. C is D [2].", "A is B [1]. C is D [2]. E is F.", " E is F."),
        ("A is B [1]. C is D [2].", "C is D. E is F.", " E is F."),  # without its mark
        ("A is B [1].", "A is  B [1][2]. E is F.", " E is F."),
        ("塔很高[1]。", "塔很高[1]。塔很旧。", "塔很旧。"),
        ("A is B.", "E is F.", "E is F."),
        ("A is B. C is D.", "A is B. E is F.", "A is B. E is F."),  # not what the answer ends with
        ("A is B.", "A is B.", ""),
        ("", "A is B.", "A is B."),
    ],
)
def test_what_is_repeated_is_cut(written: str, text: str, left: str) -> None:
    assert text[repeated(written, text) :] == left


def test_a_sentence_said_before_is_known_by_its_words() -> None:
    assert said_before(" a is  B [2].", ["A is B [1].", "C."])
    assert not said_before("A is C [1].", ["A is B [1]."])
    assert not said_before("。", ["。"]), "a limit cut it off from its sentence"


def draft(text: str, **fields: object) -> Draft:
    tokens = [{"start": n, "end": n + 1, "confidence": n / 100} for n in range(len(text))]
    return {**NO_DRAFT, "text": text, "end": sentence_end("", text), "tokens": tokens, **fields}  # type: ignore[typeddict-item]


def test_what_follows_the_first_sentence_is_the_next_draft() -> None:
    written = draft("It is tall [1]. It is old. So", ended=True)
    left = rest(written, "It is tall [1].")
    assert first_sentence(left)[0] == " It is old."
    assert [token["confidence"] for token in first_sentence(left)[1]] == [
        n / 100 for n in (16, 17, 19, 20, 22, 23, 24, 25)
    ]
    assert is_whole(left) and left["confidence"] is None
    assert is_whole(rest(left, "It is tall [1]. It is old.")), "the model ended there"
    assert not is_whole(draft("It is old", ended=False)), "the token limit may have cut it"


def test_the_tokens_of_a_citation_mark_and_of_white_space_are_no_doubt() -> None:
    text, tokens = first_sentence(draft("It is tall [1]. So."))
    assert text == "It is tall [1]."
    assert "".join(text[token["start"]] for token in tokens) == "Itistall."


def test_brackets_in_code_are_no_citations() -> None:
    assert not said_before("`a[1]` is tall.", ["`a[2]` is tall."])
    assert said_before("`a[1]` is tall [2].", ["`a[1]` is tall."])
    assert unmarked("`a [1]` is tall [2].") == "`a [1]` is tall."
    _, tokens = first_sentence(draft("Use `[1]` [2]."))
    assert "".join("Use `[1]` [2]."[token["start"]] for token in tokens) == "Use`[1]`."
    assert cited_numbers("~~~\na[3]\n~~~\nIt is tall [1].") == [1]
    assert cited("Use `a[0]` now [2].", 7) == "Use `a[0]` now [7]."
