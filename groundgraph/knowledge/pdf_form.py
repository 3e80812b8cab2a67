"""What was filled into the fields of a PDF form, which is no part of the text of its pages."""

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING

from groundgraph.knowledge.decode import clean

if TYPE_CHECKING:
    from pypdfium2 import PdfFormEnv, PdfPage

_PASSWORD = 1 << 13
"""Flag of a field whose value no reader sees."""


def filled_fields(page: "PdfPage", form: "PdfFormEnv | None") -> list[str]:
    """Return the filled fields of a page as `name: value`, a ticked box with the value `yes`; hidden ones left out."""
    from pypdfium2 import raw

    if form is None:
        return []
    lines: list[str] = []
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        field = raw.FPDFPage_GetAnnot(page, number)
        try:
            lines += _filled(form, field)
        finally:
            raw.FPDFPage_CloseAnnot(field)
    return lines


def _filled(form: "PdfFormEnv", field: "ctypes._Pointer[ctypes.Structure]") -> Iterator[str]:
    from pypdfium2 import raw

    unseen = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
    if raw.FPDFAnnot_GetFlags(field) & unseen or raw.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD:
        return
    kind = raw.FPDFAnnot_GetFormFieldType(form, field)
    value = ""
    if kind in {raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX}:
        value = _text(raw.FPDFAnnot_GetFormFieldValue, form, field)
    elif kind == raw.FPDF_FORMFIELD_CHECKBOX and raw.FPDFAnnot_IsChecked(form, field):
        value = "yes"
    elif kind == raw.FPDF_FORMFIELD_RADIOBUTTON and raw.FPDFAnnot_IsChecked(form, field):
        value = _text(raw.FPDFAnnot_GetFormFieldExportValue, form, field)
    if value:
        name = _text(raw.FPDFAnnot_GetFormFieldAlternateName, form, field)
        yield f"{name or _text(raw.FPDFAnnot_GetFormFieldName, form, field)}: {value}"


def _text(get_text: "ctypes._NamedFuncPointer", *of: object) -> str:
    """Return a text of a field on one line."""
    length = get_text(*of, None, 0)
    buffer = (ctypes.c_ushort * (length // 2))()
    get_text(*of, buffer, length)
    return " ".join(clean(bytes(buffer).decode("utf-16-le", "ignore")).split())
