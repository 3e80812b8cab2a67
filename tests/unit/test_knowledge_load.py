import json
import os
import socket
from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.knowledge.document import JSON, LoadedDocument, Unreadable
from groundgraph.knowledge.load import load, read
from tests.office import word, zipped
from tests.pdf import encrypted_pdf, pdf, pdf_form


def only(path: Path, **options: bool) -> LoadedDocument:
    (document,) = load([path], **options)
    assert isinstance(document, LoadedDocument), document
    return document


def reason(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    (found,) = load([path])
    assert isinstance(found, Unreadable)
    assert found.source == str(path)
    return found.reason


def test_a_folder_is_read_with_its_folders_but_not_what_is_hidden(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    for name in ("b.md", "sub/a.txt", ".hidden.md", ".git/config", "code.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"text of {name}")
    found = [Path(document.source).relative_to(folder).as_posix() for document in load([folder, folder / "b.md"])]
    assert found == ["b.md", "code.py", "sub/a.txt"]


def test_no_such_path_is_an_error() -> None:
    with pytest.raises(InputError, match="no such file or folder: 'nowhere'"):
        list(load(["nowhere"]))


def test_a_name_too_long_is_an_error() -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        list(load(["x" * 5000]))


def test_links_that_lead_nowhere_are_named(tmp_path: Path) -> None:
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "nowhere.md").symlink_to("gone.md")
    assert [str(found) for found in load([tmp_path])] == [
        f"{tmp_path}/loop.md: too many levels of symbolic links",
        f"{tmp_path}/nowhere.md: a link to 'gone.md', which is not there; mend the link",
    ]


def test_pipes_sockets_and_devices_in_a_folder_are_named_but_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(tmp_path / "socket"))  # a socket's address has at most 107 characters
        kinds = [str(found).removeprefix(f"{tmp_path}/").partition(",")[0] for found in load([tmp_path])]
    assert kinds == ["pipe: a named pipe", "socket: a socket", "zero.md: a device"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        list(load([tmp_path / "pipe"]))


def test_markdown_keeps_its_front_matter_as_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text('---\ntitle: "Guide"\nowner: Ann\n---\n# First\n\nText.')
    document = only(tmp_path / "a.md")
    assert (document.title, document.metadata, document.text) == ("Guide", {"owner": "Ann"}, "# First\n\nText.")


@pytest.mark.parametrize(
    ("written", "metadata"),
    [
        ("tags: [rag, 检索]\nby:\n  x: Ann\n  y:\n  - z\n", {"tags": ["rag", "检索"], "by": {"x": "Ann", "y": ["z"]}}),
        ("date: 2024-05-01\nv: 1.10\ncountry: NO\nempty:\n", {"date": "2024-05-01", "v": "1.10", "country": "NO"}),
        ("about: >\n  two\n  lines\n", {"about": "two lines\n"}),
        ("subject: Search: a survey\nnote: *loud*", {"subject": "Search: a survey", "note": "*loud*"}),
        ("run: !!python/object/apply:os.system [true]", {"run": ["true"]}),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", {"a": "&a [x, x]", "b": "&b [*a, *a]", "c": "[*b, *b]"}),
        ("a: " + "[" * 3000 + "]" * 3000, {"a": "[" * 3000 + "]" * 3000}),
    ],
    ids=["structure", "as written", "folded", "no YAML", "no objects", "no aliases", "no depth"],
)  # fmt: skip
def test_front_matter_is_yaml_with_its_values_as_written(written: str, metadata: JSON, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\n{written}\n---\nText.")
    document = only(tmp_path / "a.md")
    assert (document.metadata, document.text) == (metadata, "Text.")


@pytest.mark.parametrize("text", ["---\nText between rules.\n---\nMore.", "---\n- one\n\nTwo.\n---\nMore."])
def test_text_between_two_rules_is_no_front_matter(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(text)
    assert only(tmp_path / "a.md").text == text


def test_a_title_is_the_first_heading(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("```\n# note\n```\n\n# Install #\n\nText.")
    assert only(tmp_path / "a.md").title == "Install"


def test_html_becomes_markdown(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<html><head><title>Guide</title></head><body><h1>Setup</h1><p>Run <a href='x'>it</a>.</p>"
        "<ul><li>one</li></ul><table><tr><th>k</th></tr><tr><td>v</td></tr></table></body></html>"
    )
    document = only(tmp_path / "a.html")
    assert document.title == "Guide"
    assert document.text == "# Setup\n\nRun it.\n\n- one\n\n| k |\n| --- |\n| v |"


def test_html_in_gb2312_as_it_declares(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes("<meta charset=gb2312><p>检索增强</p>".encode("gb2312"))
    assert only(tmp_path / "a.html").text == "检索增强"


def test_html_whose_paragraphs_are_never_closed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("".join(f"<p>Line {number}." for number in range(3000)))
    assert only(tmp_path / "a.html").text.split("\n\n")[::1000] == ["Line 0.", "Line 1000.", "Line 2000."]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<div>Home</div><form><h1>Leave</h1><p>28 days.</p></form>", "Home\n\n# Leave\n\n28 days."),
        ("<p>All of the text.</p><form><p>Sign up</p></form>", "All of the text."),
        ("<p>Three months is the notice.</p><article>Read next</article>", "Three months is the notice.\n\nRead next"),
        ("<p>Menu</p><article>The notice is three months.</article>", "The notice is three months."),
        ("<main></main><p>Outside.</p>", "Outside."),
        ("<header>Site<h1>Leave</h1><p>Lead.</p></header><main>28 days.</main>", "# Leave\n\nLead.\n\n28 days."),
        ("<header>Site<p>Slogan</p></header><h1>Leave</h1>", "# Leave"),
        ("<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>です。</p>", "東京です。"),
    ],
    ids=["a page in a form", "a form", "a teaser", "an article", "no main", "a heading", "a site's header", "readings"],
)  # fmt: skip
def test_what_of_a_page_is_its_article(body: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
    assert only(tmp_path / "a.html").text == text


def test_a_pdf_knows_where_its_pages_start(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(["The first page.", "The second."]))
    document = only(tmp_path / "a.pdf")
    assert [document.text[start : start + 10] for start in document.pages] == ["The first ", "The second"]


def test_what_was_filled_into_a_pdf_form_is_read() -> None:
    """Fields in the order of the page; boxes that are not ticked, hidden fields and passwords are left out."""
    form = pdf_form(
        "/FT /Tx /T (name) /TU (Name of applicant) /V (Ann Lee)",
        "/FT /Btn /T (member) /V /Yes /AS /Yes /AP << /N << /Yes 3 0 R /Off 3 0 R >> >>",
        "/FT /Btn /T (guest) /AS /Off /AP << /N << /Yes 3 0 R /Off 3 0 R >> >>",
        "/FT /Ch /Ff 131072 /T (town) /Opt [(Rome) (Lima)] /V (Lima)",
        "/FT /Tx /T (secret) /V (Obey me.) /F 2",
        "/FT /Tx /Ff 8192 /T (code) /V (1234)",
        "/FT /Tx /T (empty)",
    )
    assert read(form, "a.pdf").text == "Form\nName of applicant: Ann Lee\nmember: yes\ntown: Lima"


def test_a_word_that_a_line_broke_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(["It is about the manip-\nulation of data."]))
    assert "manipulation" in only(tmp_path / "a.pdf").text


def test_word(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(
        word(
            "<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>Setup</w:t></w:r></w:p>"
            "<w:p><w:r><w:t>Run it.</w:t></w:r></w:p>",
            styles="<w:style w:type='paragraph' w:styleId='Heading1'><w:name w:val='heading 1'/></w:style>",
        )
    )
    document = only(tmp_path / "a.docx")
    assert (document.text, document.format) == ("# Setup\n\nRun it.", "markdown")


def test_word_keeps_the_characters_below_a_reading(tmp_path: Path) -> None:
    ruby = "<w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase>"
    line = f"<w:p><w:r><w:t>会社は</w:t><w:ruby>{ruby}</w:ruby><w:t>にあります。</w:t></w:r></w:p>"
    (tmp_path / "a.docx").write_bytes(word(line))
    assert only(tmp_path / "a.docx").text == "会社は東京にあります。"


def test_csv_becomes_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('name;price\n"Pear|big";3\nPlum;"4\n5";x\n')
    assert only(tmp_path / "a.csv").text.split("\n") == [
        "| name | price |  |",
        "| --- | --- | --- |",
        "| Pear\\|big | 3 |  |",
        "| Plum | 4 5 | x |",
    ]


def test_json_becomes_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '[{"name": "Ann", "langs": ["en", "中"], "at": {"city": "Lima"}, "x": null}, {"n": 1.5}]'
    )
    assert only(tmp_path / "a.json").text == "name: Ann\nlangs: en, 中\nat.city: Lima\n\nn: 1.5"


def test_jsonl_rows_are_documents(tmp_path: Path) -> None:
    rows = [{"pid": "p1", "title": "T", "lang": "en", "text": "One."}, {"text": "Two."}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    first, second = load([tmp_path / "a.jsonl"], jsonl=True)
    assert isinstance(first, LoadedDocument)
    assert isinstance(second, LoadedDocument)
    assert (first.source, first.title, first.metadata) == ("p1", "T", {"lang": "en"})
    assert (second.source, second.origin) == (f"{tmp_path}/a.jsonl#2", f"{tmp_path}/a.jsonl")


def test_a_bad_jsonl_row_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "One."}\n{"text": \n{"name": "Ann"}\n')
    found = list(load([tmp_path / "a.jsonl"], jsonl=True))
    assert [type(one) for one in found] == [LoadedDocument, Unreadable, Unreadable]
    assert found[2] == Unreadable(f"{tmp_path}/a.jsonl#3", "no text; every row needs a `text` field")


def test_a_file_that_is_no_jsonl_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("# Title\n\nSome text.\nMore text.\n")
    (unreadable,) = load([tmp_path / "x.md"], jsonl=True)
    assert isinstance(unreadable, Unreadable) and unreadable.source == str(tmp_path / "x.md")
    assert unreadable.reason.startswith("not one of its 3 rows can be read (the first: not JSON")


def test_jsonl_rows_without_text_are_flattened_unless_asked_to_have_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"name": "Ann", "age": 5}\n')
    assert only(tmp_path / "a.jsonl").text == "name: Ann\nage: 5"


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert reason(tmp_path / "a.txt", bytes(range(256))) == "binary, not text"
    assert reason(tmp_path / "b.txt", b" \n ") == "empty file"
    assert reason(tmp_path / "c.bin", b"\x7fELF" + bytes(50)) == "binary, not text"
    assert reason(tmp_path / "d.pdf", b"") == "empty file"
    assert reason(tmp_path / "e.pdf", b"%PDF-1.4 cut short") == "damaged PDF"
    assert reason(tmp_path / "f.pdf", encrypted_pdf()) == "encrypted; save it without a password"
    assert reason(tmp_path / "g.pdf", pdf([None])) == "no text (image-only PDF; run OCR first)"
    assert reason(tmp_path / "h.docx", b"\xd0\xcf\x11\xe0rest").startswith("encrypted, or an old Office file")
    for suffix in ("docx", "pptx", "xlsx"):
        assert reason(tmp_path / f"i.{suffix}", b"no zip").startswith(f"damaged .{suffix}")
        assert reason(tmp_path / f"k.{suffix}", zipped({"a.xml": "<a/>"})).startswith(f"damaged .{suffix}")
        assert reason(tmp_path / f"o.{suffix}", b"\xd0\xcf\x11\xe0rest").startswith("encrypted, or an old Office file")
    assert reason(tmp_path / "n.rtf", rb"{\rtf1 Text.}") == "RTF; save it as .docx"
    assert reason(tmp_path / "j.json", b'{"a": ').startswith("not JSON")
    assert reason(tmp_path / "k.json", b"{}") == "no values"
    assert reason(tmp_path / "l.html", b"<nav>Home</nav>") == "no text"
    assert reason(tmp_path / "m.csv", b",,\n,,") == "no rows"


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (f'{{"a": {"9" * 5000}}}', "a number of thousands of digits"),
        ("[" * 500 + "1" + "]" * 500, "nested too deeply"),
        ("[" * 20_000, "nested too deeply"),
        ('{"a": ' * 101 + "1" + "}" * 101, "nested too deeply"),
        (json.dumps({"text": "Deep.", "more": json.loads("[" * 150 + "]" * 150)}), "nested too deeply"),
    ],
)
@pytest.mark.parametrize("suffix", ["json", "ipynb"])
def test_odd_json_is_unreadable(suffix: str, odd: str, why: str, tmp_path: Path) -> None:
    assert why in reason(tmp_path / f"odd.{suffix}", odd.encode())


def test_metadata_holds_no_half_characters(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        '{"text": "Deep.", "lang": "\\ud800en", "by\\udc00": [{"name": "\\ud800Ann"}]}'
    )
    assert only(tmp_path / "rows.jsonl").metadata == {"lang": "en", "by": [{"name": "Ann"}]}


def test_a_notebook_is_its_prose_and_its_code(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Plot\n", "\n", "We plot."]},
        {"cell_type": "code", "source": "# no heading\nplot()", "outputs": [{"text": "printed"}]},
        {"cell_type": "code", "source": []},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    document = only(tmp_path / "a.ipynb")
    assert (document.title, document.text) == ("Plot", "# Plot\n\nWe plot.\n\n```\n# no heading\nplot()\n```")
    assert reason(tmp_path / "b.ipynb", b"[]").startswith("not a Jupyter notebook")


def test_a_program_is_code_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("# a comment\nx = 1\n")
    document = only(tmp_path / "a.py")
    assert (document.format, document.title) == ("code", "a.py")


def test_a_media_type_wins_over_the_suffix() -> None:
    assert read(pdf(["From a URL."]), "https://example.org/doc", "application/pdf; q=1").text == "From a URL."
