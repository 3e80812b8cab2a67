"""`groundgraph index` and `groundgraph collections`."""

from pathlib import Path

import pytest
import typer

from groundgraph.knowledge import address
from tests.cli import run, run_at_terminal
from tests.embedder import use_bag_embedder
from tests.site import Page, site

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def bag_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "sea.md").write_text("The sea is deep.")
    (folder / "sky.md").write_text("The sky is blue.")
    return folder


def test_it_says_what_changed(notes: Path, capsys: Capsys) -> None:
    ran = run(capsys, "index", str(notes))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "default: 2 added, 0 updated, 0 unchanged, 0 removed; 2 chunks, 2 embedded\n"
    assert run(capsys, "index", str(notes)).out.endswith("2 unchanged, 0 removed; 2 chunks, 0 embedded\n")


def test_unreadable_files_are_named_and_the_others_indexed(notes: Path, capsys: Capsys) -> None:
    (notes / "song.txt").write_bytes(b"\x00\x01\x02\xff" * 100)
    ran = run(capsys, "index", str(notes), "--quiet")
    assert ran.status == 1 and ran.out == ""
    assert ran.err.startswith("not read: ") and "song.txt" in ran.err and ran.err.count("\n") == 1


def test_odd_json_does_not_keep_the_others_out(notes: Path, capsys: Capsys) -> None:
    (notes / "odd.json").write_text(f'{{"a": {"9" * 5000}}}')
    ran = run(capsys, "index", str(notes))
    assert ran.status == 1 and ran.out.startswith("default: 2 added")
    assert ran.err.endswith("odd.json: JSON with a number of thousands of digits; write it as a string\n")


def test_nothing_readable_is_bad_use(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "song.txt").write_bytes(b"\x00\x01\x02\xff" * 100)
    ran = run(capsys, "index", str(tmp_path / "song.txt"))
    assert ran.status == 2 and ran.err.count("\n") == 1
    assert "no collections" in run(capsys, "collections").out.lower()


def test_progress_is_shown_on_a_terminal_only(notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    ran = run_at_terminal(capsys, monkeypatch, "index", str(notes))
    assert "reading files" in ran.err and "embedding chunks" in ran.err and "2/2" in ran.err
    assert run_at_terminal(capsys, monkeypatch, "index", str(notes), "--quiet").err == ""


def test_the_building_of_a_large_index_is_shown(notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setattr("groundgraph.knowledge.vectors.EXACT_UP_TO", 1)
    assert "building the vector index" in run_at_terminal(capsys, monkeypatch, "index", str(notes)).err


def test_a_chinese_collection_name(notes: Path, capsys: Capsys) -> None:
    assert run(capsys, "index", str(notes), "-c", "笔记").status == 0
    assert "笔记" in run(capsys, "collections").out


def test_collections_are_listed(notes: Path, capsys: Capsys) -> None:
    assert run(capsys, "collections", "--json").object == {"collections": []}
    run(capsys, "index", str(notes), "-c", "mine")
    header, row = run(capsys, "collections").out.splitlines()
    assert header.split() == ["Name", "Documents", "Chunks", "Embedding", "model", "Size", "Path"]
    assert row.split()[:4] == ["mine", "2", "2", "bag:64"]
    (found,) = run(capsys, "collections", "--json").object["collections"]
    assert found["documents"] == 2 and found["bytes"] > 0 and Path(found["path"]).exists()


def test_a_damaged_collection_does_not_hide_the_others(notes: Path, tmp_path: Path, capsys: Capsys) -> None:
    for name in ("bad", "good"):
        run(capsys, "index", str(notes), "-c", name)
    (tmp_path / "home" / "bad" / "collection.sqlite").write_bytes(b"junk " * 1000)
    ran = run(capsys, "collections")
    _, good, bad = ran.out.splitlines()
    assert ran.status == 0 and good.split()[:3] == ["good", "2", "2"]
    assert bad.startswith("bad: ") and bad.endswith(
        "collection.sqlite' is damaged (file is not a database): groundgraph collections delete bad, then index again"
    )
    bad_one, good_one = run(capsys, "collections", "--json").object["collections"]
    assert list(bad_one) == ["name", "path", "error"] and good_one["documents"] == 2
    shown = run(capsys, "doctor").out
    assert "bad (cannot be opened), good (2 documents, 2 chunks)" in shown
    assert "Optional: the collection bad\n" in shown and "groundgraph collections delete bad" in shown
    assert "there are: bad, good" in run(capsys, "collections", "inspect", "none").err


def test_an_address_is_read_beside_files(notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setattr(address, "is_public", lambda ip: ip.is_loopback)
    with site({"/rain": Page(b"<p>The rain is wet.</p>", headers={"Content-Type": "text/html"})}) as served:
        ran = run(capsys, "index", str(notes), f"{served.address}/rain", f"{served.address}/none")
    assert ran.out.startswith("default: 3 added")
    assert ran.status == 1
    assert ran.err == f"not read: {served.address}/none: the server answers 404 Not Found\n"


def test_a_collection_is_made_inspected_and_deleted(notes: Path, capsys: Capsys) -> None:
    made = run(capsys, "collections", "create", "mine", "--description", "My notes", "--chunker", "fixed")
    assert (made.status, made.out) == (0, "mine: made, with bag:64\n")
    again = run(capsys, "collections", "create", "mine")
    assert again.status == 2 and "exists" in again.err
    run(capsys, "index", str(notes), "-c", "mine")
    shown = run(capsys, "collections", "inspect", "mine").out
    assert "description: My notes\n" in shown and "chunker: fixed\n" in shown and "sea.md\n" in shown
    found = run(capsys, "collections", "inspect", "mine", "--json").object
    assert (found["documents"], len(found["sources"])) == (2, 2)
    assert run(capsys, "collections", "list", "--json").object == run(capsys, "collections", "--json").object
    assert "add --yes" in run(capsys, "collections", "delete", "mine").err
    assert run(capsys, "collections", "delete", "mine", "--yes").out == "mine: deleted\n"
    assert run(capsys, "collections", "inspect", "mine").status == 2


def test_a_person_is_asked_before_a_collection_is_deleted(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    run(capsys, "collections", "create", "mine")
    monkeypatch.setattr("typer.confirm", lambda text, abort: (_ for _ in ()).throw(typer.Abort()))
    assert run_at_terminal(capsys, monkeypatch, "collections", "delete", "mine").status == 130
    assert "mine" in run(capsys, "collections").out


def test_a_collection_travels_as_one_file(notes: Path, tmp_path: Path, capsys: Capsys) -> None:
    run(capsys, "index", str(notes), "-c", "mine")
    file = tmp_path / "copy.groundgraph"
    assert run(capsys, "collections", "export", "mine", str(file)).out.startswith("mine: exported to ")
    assert run(capsys, "collections", "import", str(file)).out == "copy: imported, 2 documents, 2 chunks\n"
    assert run(capsys, "collections", "import", str(file), "-c", "mine").status == 2
    other = run(capsys, "collections", "import", str(file), "-c", "new", "--embedding-model", "bag:8")
    assert other.status == 2 and other.err.count("\n") == 1 and "was made with 'bag:64', not 'bag:8'" in other.err


def test_a_chunker_is_chosen_and_kept(notes: Path, capsys: Capsys) -> None:
    run(capsys, "index", str(notes), "--chunker", "fixed")
    assert run(capsys, "collections", "inspect", "default", "--json").object["chunker"] == "fixed"
    assert "2 unchanged" in run(capsys, "index", str(notes)).out
    wrong = run(capsys, "index", str(notes), "--chunker", "magic")
    assert wrong.status == 2 and "unknown chunker 'magic'" in wrong.err


def test_a_deleted_file_and_a_folder_that_is_away(notes: Path, capsys: Capsys) -> None:
    run(capsys, "index", str(notes))
    (notes / "sea.md").unlink()
    ran = run(capsys, "index", str(notes / "sea.md"))
    assert (ran.status, ran.out) == (0, "default: 0 added, 0 updated, 0 unchanged, 1 removed; 1 chunks, 0 embedded\n")
    notes.rename(notes.with_name("away"))
    ran = run(capsys, "index", str(notes))
    assert ran.status == 2 and "add --prune" in ran.err and ran.err.count("\n") == 1
    assert "1 removed; 0 chunks" in run(capsys, "index", str(notes), "--prune").out


def test_a_damaged_collection_is_deleted(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    run(capsys, "index", str(notes), "-c", "bad")
    (tmp_path / "home" / "bad" / "collection.sqlite").write_bytes(b"junk " * 1000)
    asked: list[str] = []
    monkeypatch.setattr("typer.confirm", lambda text, abort: asked.append(text))
    assert run_at_terminal(capsys, monkeypatch, "collections", "delete", "bad").status == 0
    assert asked == ["Delete bad, which is damaged?"]
    assert not (tmp_path / "home" / "bad").exists()


def test_a_file_that_is_no_jsonl_is_one_line(notes: Path, capsys: Capsys) -> None:
    (notes / "sea.md").write_text("The sea is deep.\n" * 100)
    ran = run(capsys, "index", str(notes / "sea.md"), "--jsonl")
    assert ran.status == 2 and ran.err.count("\n") == 1 and "not one of its 100 rows can be read" in ran.err
