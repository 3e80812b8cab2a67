"""Office files, made here by the libraries that read them, or by hand."""

import io
import zipfile

import openpyxl

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">%s</cp:coreProperties>"""


def workbook(**sheets: list[list[object]]) -> openpyxl.Workbook:
    """Return a workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return book


def saved(file: object) -> bytes:
    """Return a workbook or presentation as a file."""
    data = io.BytesIO()
    file.save(data)
    return data.getvalue()


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """Return an archive of these files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def word(body: str, *, styles: str = "", core: str = "") -> bytes:
    """Return a Word file with this body, these styles and these core properties, as XML with the prefix `w`."""
    return zipped(
        {
            "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"
            "<Override PartName='/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument."
            "wordprocessingml.document.main+xml'/></Types>",
            "_rels/.rels": f"<Relationships xmlns='{_RELATIONS}'><Relationship Id='r1' Target='word/document.xml' "
            f"Type='{_TYPES}/officeDocument'/></Relationships>",
            "word/styles.xml": f"<w:styles xmlns:w='{_WORD}'>{styles}</w:styles>",
            "word/_rels/document.xml.rels": f"<Relationships xmlns='{_RELATIONS}'>"
            f"<Relationship Id='r1' Target='styles.xml' Type='{_TYPES}/styles'/></Relationships>",
            "word/document.xml": f"<w:document xmlns:w='{_WORD}'><w:body>{body}</w:body></w:document>",
            "docProps/core.xml": _CORE % core,
        }
    )
