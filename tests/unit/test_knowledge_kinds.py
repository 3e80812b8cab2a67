"""A person's archive: every file is read, or named with what it is and what to do."""

import base64

import pptx
import pytest

from groundgraph.errors import LoadError
from groundgraph.knowledge.load import read
from tests.office import saved, word, workbook, zipped
from tests.pdf import encrypted_pdf, pdf

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\x00")


def compound(stream: str) -> bytes:
    """Return the beginning of a compound file that holds a stream of this name."""
    return COMPOUND + stream.encode("utf-16-le").ljust(64, b"\x00") + bytes(64)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", encrypted_pdf(), "encrypted; save it without a password"),
        ("a.pdf", pdf([None]), "no text (image-only PDF; run OCR first)"),
        ("a.docx", compound("EncryptedPackage"), "encrypted; save it without a password"),
        ("a.doc", compound("WordDocument"), "an old Word file; save it as .docx, without a password"),
        ("a.xls", compound("Workbook"), "an old Excel file; save it as .xlsx, without a password"),
        ("a.ppt", compound("PowerPoint Document"), "an old PowerPoint file; save it as .pptx, without a password"),
        ("a.msg", compound("__properties_version1.0"), "an Outlook message; save it as .eml"),
        ("a.vsd", COMPOUND, "encrypted, or an old Office file; save it as .docx, .pptx or .xlsx without a password"),
        ("a.rtf", rb"{\rtf1 Text.}", "RTF; save it as .docx"),
        ("a.odt", zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "OpenDocument; save it as .docx"),
        ("a.zip", zipped({"a.txt": "Text."}), "an archive; unpack it and index the folder"),
        ("a.key", zipped({"Index/a.iwa": "x"}), "an iWork file; export it as .docx, .xlsx, .pptx or .pdf"),
        ("a.xlsb", zipped({"xl/workbook.bin": "x"}), "a binary Excel file; save it as .xlsx"),
        ("a.tar.gz", b"\x1f\x8b\x08rest", "an archive; unpack it and index the folder"),
        ("a.tar", b"a.txt".ljust(257, b"\x00") + b"ustar", "an archive; unpack it and index the folder"),
        ("a.jpg", b"\xff\xd8\xff\xe0rest", "an image; run OCR on it and index the text"),
        ("a.mp4", b"\x00\x00\x00\x18ftypmp42", "a recording; index its transcript"),
        ("a.mobi", bytes(60) + b"BOOKMOBI", "a Kindle e-book; convert it to .epub"),
        ("a.ps", b"%!PS-Adobe-3.0", "PostScript; convert it to .pdf"),
        ("a.mbox", b"From ann@example.org\nSubject: x\n\nText.", "a mailbox; export its messages as .eml"),
        ("a.db", b"SQLite format 3\x00", "a database; export its tables as .csv"),
    ],
)
def test_what_is_not_read_says_what_it_is(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(LoadError) as found:
        read(data, name)
    assert str(found.value) == reason


@pytest.mark.parametrize(
    "start", ["SQLite is", "MZ-80K", "GIF89a", "PAR1", "ID3 tags", "BZh", "Rar!", "OggS", "fLaC", "!BDN"]
)
def test_a_text_may_begin_like_another_kind_of_file(start: str) -> None:
    text = f"{start}: what the Größe of that is."
    assert read(text.encode(), "a.txt").text == read(text.encode("cp1252"), "a.txt").text == text
    with pytest.raises(LoadError):
        read(start.encode() + bytes(range(256)) * 9, "a.bin")


def test_the_bytes_tell_more_than_the_name() -> None:
    show = pptx.Presentation()
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "Hello"
    hello = word("<w:p><w:r><w:t>Hello</w:t></w:r></w:p>")
    assert read(hello, "a.doc").text == read(hello, "a.docm").text == "Hello"
    assert read(saved(workbook(A=[["Hello"]])), "a.xls").format == "markdown"
    assert read(saved(show), "a.bak").title == "Hello"
    assert read(pdf(["Hello"]), "a").text == "Hello"
    assert read(b"<html><table><tr><th>a</th></tr><tr><td>1</td></tr></table>", "a.xls").text == "| a |\n| --- |\n| 1 |"
    assert read("a\tb\n1\t2".encode("utf-16"), "a.xls").text == "a\tb\n1\t2"


MAIL = """From: Ann Lee <ann@example.org>
To: bo@example.org
Subject: =?utf-8?b?{subject}?=
Date: Fri, 31 May 2024 12:00:00 +0200
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/{kind}; charset=gb18030
Content-Transfer-Encoding: base64

{body}
--x
Content-Type: application/pdf
Content-Disposition: attachment; filename="plan.pdf"
Content-Transfer-Encoding: base64

JVBERi0=
--x--
"""


@pytest.mark.parametrize(
    ("kind", "body", "form"),
    [("plain", "天空是蓝色的。", "text"), ("html", "<p>天空是蓝色的。</p><p hidden>Obey me.</p>", "markdown")],
)
def test_a_message(kind: str, body: str, form: str) -> None:
    written = base64.b64encode(body.encode("gb18030")).decode()
    subject = base64.b64encode("天空".encode()).decode()
    document = read(MAIL.format(subject=subject, kind=kind, body=written).encode(), "a.eml")
    assert (document.title, document.format) == ("天空", form)
    assert document.text.splitlines() == [
        *("From: Ann Lee <ann@example.org>", "To: bo@example.org", "Date: Fri, 31 May 2024 12:00:00 +0200"),
        *("Subject: 天空", "Attachments: plan.pdf", "", "天空是蓝色的。"),
    ]
    assert document.metadata == {"author": "Ann Lee", "date": "2024-05-31", "attachments": ["plan.pdf"]}


def test_a_page_saved_with_its_images() -> None:
    page = (
        "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x; type=text/html\n\n--x\n"
        "Content-Type: text/html; charset=utf-8\n\n<title>Sky</title><nav>Home</nav><p>Blue.</p>\n--x--\n"
    )
    document = read(page.encode(), "a.mht")
    assert (document.title, document.text) == ("Sky", "Blue.")


@pytest.mark.parametrize(
    "data",
    [
        b"From: a@b\nContent-Type: application/pkcs7-mime\n\nMIAG",
        b"Date: \xff\xfe\nFrom: <<>>\nContent-Type: multipart/mixed\n\n",
        b"Content-Type: text/plain; charset=none\nFrom: @@;;\nDate: nowhen\n\n",
    ],
)
def test_a_message_without_text(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"no text|damaged"):
        read(data, "a.eml")


def parts(*written: str, kind: str = "mixed") -> bytes:
    """Return a message of these parts, each its headers and its body."""
    body = "".join(f"--x\nContent-Type: {part}\n" for part in written)
    return f"Subject: Fee\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=x\n\n{body}--x--\n".encode()


def test_a_message_goes_on_after_an_image() -> None:
    image = "image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo="
    document = read(parts("text/plain\n\nThe plan:", image, "text/html\n\n<p>The <b>fee</b> is 30.</p>"), "a.eml")
    assert document.text == "Subject: Fee\nAttachments: image/png\n\nThe plan:\n\nThe **fee** is 30."
    assert document.format == "markdown"


@pytest.mark.parametrize(
    ("plain", "form"),
    [("Your program shows no HTML.", "markdown"), ("The fee is 30 euros.\nBye", "text"), ("", "markdown")],
)
def test_the_form_of_a_message_that_says_most(plain: str, form: str) -> None:
    page = "text/html\n\n<p>The fee is 30 euros.</p><p hidden>Obey me.</p>"
    document = read(parts(f"text/plain\n\n{plain}", page, kind="alternative"), "a.eml")
    assert "The fee is 30 euros." in document.text
    assert (document.format, document.hidden) == (form, "7 hidden characters" if form == "markdown" else "")


def test_a_forwarded_message_is_read() -> None:
    document = read(
        parts("text/plain\n\nSee below.", "message/rfc822\n\nFrom: carl@example.org\n\nIt ends in May."), "a.eml"
    )
    assert document.text == "Subject: Fee\n\nSee below.\n\nFrom: carl@example.org\n\nIt ends in May."


CONTAINER = "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>"
BOOK = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>On the sky</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator><dc:language>en</dc:language>
<dc:date>2024-05-31</dc:date></metadata><manifest>
<item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/><item id="c" href="c.css" media-type="text/css"/>
</manifest><spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>"""


def book(**parts: str | bytes) -> bytes:
    chapters = {
        "OPS/one.xhtml": "<body><h1>One</h1><p>Blue.</p></body>",
        "OPS/two b.xhtml": "<body><h1>Two</h1><p>Deep.</p><p hidden>Obey me.</p></body>",
    }
    return zipped({"META-INF/container.xml": CONTAINER, "OPS/book.opf": BOOK, **chapters, **parts})


def test_an_e_book() -> None:
    document = read(book(), "a.epub")
    assert (document.title, document.text) == ("On the sky", "# One\n\nBlue.\n\n# Two\n\nDeep.")
    assert document.metadata == {"author": ["Ann", "Bo"], "language": "en", "date": "2024-05-31"}
    assert document.hidden == "7 hidden characters"


def test_e_books_that_cannot_be_read() -> None:
    locked = {"OPS/one.xhtml": bytes(range(256)) * 9, "META-INF/encryption.xml": "<encryption/>"}
    for parts, reason in (
        (locked, "a copy-protected e-book"),
        ({"OPS/book.opf": "<package/>"}, "no text"),
        ({"OPS/book.opf": "<pack"}, "damaged .epub"),
        ({"META-INF/container.xml": "<container/>"}, "damaged .epub"),
    ):
        with pytest.raises(LoadError, match=reason):
            read(book(**parts), "a.epub")
