import datetime
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from groundgraph.cli.context import build_context
from groundgraph.knowledge.attributes import date_of, language_of
from groundgraph.knowledge.document import JSON, LoadedDocument
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder

DOCUMENTS = [
    LoadedDocument("/docs/a/one.md", "The apple is in the box.", metadata={"date": "2024-05-31", "year": 2024}),
    LoadedDocument(
        "/docs/a/two.md",
        "苹果在盒子里 apple。",
        metadata={"date": "2023-01-02", "tags": ["x", "y"], "by": {"name": "Ann"}},
    ),
    LoadedDocument("/docs/b/[3].md", "La pomme apple est rouge.", metadata={"draft": True, "lang": "fr-CA"}),
    LoadedDocument("/docs/b%/four.md", "An apple, and what it is to us.", metadata={"year": "2024", "date": "2024"}),
]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({}, ["[3]", "four", "one", "two"]),
        ({"source": "/docs/a"}, ["one", "two"]),
        ({"source": "/docs/b%"}, ["four"]),
        ({"source": "*/t*.md"}, ["two"]),
        ({"source": "*/[[]3].md"}, ["[3]"]),
        ({"source": "/DOCS"}, []),
        ({"source": "one.md"}, ["one"]),
        ({"source": "a/one.md"}, ["one"]),
        ({"source": "ne.md"}, []),
        ({"source": "a"}, ["one", "two"]),
        ({"source": "a/"}, ["one", "two"]),
        ({"source": "b/[3].md"}, ["[3]"]),
        ({"source": "a/*"}, ["one", "two"]),
        ({"source": "t*.md"}, ["two"]),
        ({"source": "/a"}, []),
        ({"language": "en"}, ["four", "one"]),
        ({"language": "zh-Hans"}, ["two"]),
        ({"language": "FR"}, ["[3]"]),
        ({"metadata": {"year": 2024}}, ["four", "one"]),
        ({"metadata": {"tags": "y"}}, ["two"]),
        ({"metadata": {"by.name": "Ann"}}, ["two"]),
        ({"metadata": {"by": {"name": "Ann"}}}, ["two"]),
        ({"metadata": {"draft": True}}, ["[3]"]),
        ({"metadata": {"draft": 1}}, []),
        ({"metadata": {"year": 2024}, "source": "/docs/a"}, ["one"]),
        ({"metadata": {"x' OR 1=1 --": "1"}}, []),
        ({"after": "2024"}, ["four", "one"]),
        ({"after": 2024}, ["four", "one"]),
        ({"after": "2024-02"}, ["one"]),
        ({"after": datetime.date(2024, 2, 1)}, ["one"]),
        ({"before": "2023"}, ["two"]),
        ({"before": "2024-05-31", "after": "2024-05-31"}, ["one"]),
        ({"before": "2024-05-30"}, ["four", "two"]),
        ({"before": "2024", "after": "2024-05"}, ["one"]),
    ],
)
@pytest.mark.parametrize("mode", ["vector", "keyword"])
def test_only_what_fits_is_found(
    where: dict[str, object], found: list[str], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("notes", create=True).add(DOCUMENTS)
    result = search("apple", ["notes"], k=9, mode=mode, where=Filter.model_validate(where))  # type: ignore[arg-type]
    assert sorted(p.source.rpartition("/")[2].removesuffix(".md") for p in result.passages) == found


def test_a_path_from_here_or_from_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    sources = [tmp_path / "work" / "a.md", tmp_path / "other" / "a.md", tmp_path / "rows.jsonl#7"]
    Collection.open("notes", create=True).add(LoadedDocument(str(one), f"apple {one}") for one in sources)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    cases = {"./a.md": [0], "../other/": [1], "~/work": [0], "work/a.md": [0], "a.md": [0, 1], "rows.jsonl": [2]}
    for source, expected in {**cases, "rows.jsonl#7": [2]}.items():
        found = search("apple", ["notes"], k=9, where=Filter(source=source)).passages
        assert {one.source for one in found} == {str(sources[number]) for number in expected}, source


@pytest.mark.parametrize("source", ["rows.jsonl", "/data/rows.jsonl", "data", "*.jsonl"])
def test_a_row_is_found_by_the_file_it_came_from(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    rows = [LoadedDocument(pid, f"apple {pid}", file=f"/data/{pid}.jsonl") for pid in ("rows", "more")]
    Collection.open("notes", create=True).add([*rows, LoadedDocument("/else/a.md", "apple")])
    found = search("apple", ["notes"], k=9, where=Filter(source=source)).passages
    assert {one.source for one in found} == ({"rows"} if "rows" in source else {"rows", "more"})


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_accents_are_written_either_way(
    stored: Literal["NFC", "NFD"], asked: Literal["NFC", "NFD"], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_bag_embedder(monkeypatch)
    metadata: dict[str, JSON] = {"author": normalize(stored, "Zoë")}
    document = LoadedDocument(normalize(stored, "/docs/Übung.md"), "apple", metadata=metadata)
    Collection.open("notes", create=True).add([document])
    where = Filter(source=normalize(asked, "Übung.md"), metadata={"author": normalize(asked, "Zoë")})
    assert len(search("apple", ["notes"], k=9, where=where).passages) == 1


@pytest.mark.parametrize(
    ("setting", "metadata"),
    [
        ("version=1.10", {"version": "1.10"}),
        ("owner.name=Ann", {"owner.name": "Ann"}),
        ('version="1.10"', {"version": "1.10"}),
        ("draft=true", {"draft": "true"}),
        ('owner={"name": "Ann", "age": 7}', {"owner.name": "Ann", "owner.age": 7}),
    ],
)
def test_a_field_is_compared_as_it_is_written(setting: str, metadata: dict[str, object]) -> None:
    where = build_context(None, [f"where.metadata.{setting}"], []).where
    assert where is not None and where.metadata == metadata


@pytest.mark.parametrize(
    "where",
    [
        {"after": "31.5.2024"},
        {"after": "2024-13"},
        {"before": "2023-02-29"},
        {"before": "0000"},
        {"before": "2023", "after": "2024-01"},
        {"before": "2024-05-30", "after": "2024-05-31"},
        {"language": "e"},
        {"source": ""},
        {"sources": "x"},
    ],
)
def test_a_filter_that_cannot_be_is_refused(where: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(where))):
        Filter.model_validate(where)


@pytest.mark.parametrize(
    ("text", "metadata", "language"),
    [
        ("The cat is on the mat, and it sleeps.", {}, "en"),
        ("Le chat est sur le tapis et il dort, on a de la chance.", {}, ""),
        ("Die Katze liegt auf der Matte und schläft in der Sonne.", {}, ""),
        ("检索增强生成 (RAG) 先找资料。", {}, "zh"),
        ("検索してから答えを生成します。", {}, "ja"),
        ("고양이가 잔다", {}, "ko"),
        ("12 345 678", {}, ""),
        ("Remote work policy", {}, "en"),
        ("Résumé of Ann", {}, "en"),
        ("Règlement intérieur de la société", {}, ""),
        ("Reglas de la casa", {}, ""),
        ("Права and rights человека", {}, ""),
        ("kucing tidur siang sambil bermimpi tentang ikan " * 4, {}, ""),
        ("The cat is here.", {"lang": "ZH_cn"}, "zh"),
        ("The cat is on the mat.", {"lang": ""}, "en"),
    ],
)
def test_a_language_is_stated_or_told(text: str, metadata: dict[str, JSON], language: str) -> None:
    assert language_of(text, metadata) == language


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        (["en", "EN-us", "en_US.UTF-8", "eng", "English", "English (US)", "英文"], "en"),
        (["zh-CN", "zh_Hans", "zho", "chi", "cmn-Hans", "Chinese", "Chinese (Simplified)", "中文", "繁體中文"], "zh"),
        (["ja_JP", "Japanese", "日本語"], "ja"),
        (["fre", "Français", "Franc\u0327ais"], "fr"),
        (["Klingon"], "klingon"),
    ],
)
def test_a_language_is_known_by_its_tags_and_names(stated: list[str], code: str) -> None:
    assert {language_of("", {"language": one}) for one in stated} == {code}


@pytest.mark.parametrize(
    ("metadata", "date"),
    [
        ({"date": "2024-05-31T10:00:00Z"}, "2024-05-31"),
        ({"date": "2024/5/3"}, "2024-05-03"),
        ({"date": "2024年5月31日"}, "2024-05-31"),
        ({"date": 2024}, "2024-01-01"),
        ({"date": "last year", "created": "2020-02"}, "2020-02-01"),
        ({"date": "20240531"}, "2024-05-31"),
        ({"date": "20240531T100000Z"}, "2024-05-31"),
        ({"date": "20241331"}, ""),
        ({"date": "202405311000"}, ""),
        ({"date": "2024 年 5 月 31 日"}, "2024-05-31"),
        ({"date": "31 May 2024"}, "2024-05-31"),
        ({"date": "May 31, 2024"}, "2024-05-31"),
        ({"date": "Friday, 31st of May, 2024"}, "2024-05-31"),
        ({"date": "Fri, 31 May 2024 10:00:00 +0000"}, "2024-05-31"),
        ({"date": "31-Dec-2024"}, "2024-12-31"),
        ({"date": "Sept. 3, 2024 10:00"}, "2024-09-03"),
        ({"date": "May 2024"}, "2024-05-01"),
        ({"date": "31.5.2024"}, "2024-05-31"),
        ({"date": "31 February 2024"}, ""),
        ({"date": "Maybe 2024"}, ""),
        ({"date": "5/6/2024"}, ""),
        ({"date": "2024-13-01"}, ""),
        ({"date": "2023-02-29", "created": "2023"}, "2023-01-01"),
        ({}, ""),
    ],
)
def test_a_date_is_read_from_the_metadata(metadata: dict[str, JSON], date: str) -> None:
    assert date_of(metadata) == date
