"""Small PDF files, made by hand."""

from collections.abc import Sequence


def pdf(pages: Sequence[str | None]) -> bytes:
    """Return a PDF with these pages: lines of Latin text, or None for a page that is only an image."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        content = _image() if text is None else _text(text)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    return _file(objects)


def drawn_pdf(content: str, *, info: str = "", catalog: str = "", page: str = "") -> bytes:
    """Return a PDF of one page with this content, and these entries in its information, catalog and page."""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R {page} "
        "/Resources << /Font << /F1 3 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        f"<< {info} >>",
    ]
    return _file(objects, "/Info 6 0 R")


def pdf_form(*fields: str) -> bytes:
    """Return a PDF of one page that says "Form" and has these fields, as the entries of their dictionaries."""
    names = " ".join(f"{6 + number} 0 R" for number in range(len(fields)))
    content = _text("Form")
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{names}] >> >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Annots [{names}] "
        "/Resources << /Font << /F1 3 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        *(f"<< /Type /Annot /Subtype /Widget /Rect [72 100 172 120] {field} >>" for field in fields),
    ]
    return _file(objects)


def encrypted_pdf() -> bytes:
    """Return a PDF whose user password is not the empty one."""
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >> /ID [<00> <00>]"
    return _file(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"], lock)


def _text(text: str) -> str:
    lines = " T* ".join(f"({line}) Tj" for line in text.split("\n"))
    return f"BT /F1 12 Tf 14 TL 72 720 Td {lines} ET"


def _image() -> str:
    return "q 100 0 0 100 72 600 cm BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q"


def _file(objects: Sequence[str], trailer: str = "") -> bytes:
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    tail = f"trailer\n<< /Size {count} /Root 1 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}{tail}".encode("latin-1")
