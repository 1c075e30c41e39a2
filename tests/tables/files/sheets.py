"""Spreadsheets written by hand, with whatever is to stand in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def write_book(
    rows: str,
    *,
    strings: str = "",
    formats: Sequence[str] = (),
    names: Sequence[str] = ("visits",),
    book: str = "",
) -> bytes:
    """A file whose sheets all hold the same `rows`; style 0 is plain, 1 the first format, ..."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        "_rels/.rels": _links([("officeDocument", "xl/workbook.xml")]),
        "xl/_rels/workbook.xml.rels": _links(
            [
                *(("worksheet", f"worksheets/sheet{i}.xml") for i in range(len(names))),
                ("sharedStrings", "/xl/sharedStrings.xml"),
                ("styles", "styles.xml"),
            ]
        ),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}">{book}<sheets>'
        + "".join(
            f'<sheet name={quoteattr(name)} sheetId="{i + 1}" r:id="rId{i}"/>'
            for i, name in enumerate(names)
        )
        + "</sheets></workbook>",
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts>'
        + "".join(
            f'<numFmt numFmtId="{164 + i}" formatCode={quoteattr(code)}/>'
            for i, code in enumerate(formats)
        )
        + '</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>'
        + "".join(f'<xf numFmtId="{164 + i}"/>' for i in range(len(formats)))
        + "</cellXfs></styleSheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{strings}</sst>',
        **{
            f"xl/worksheets/sheet{i}.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}'
            "</sheetData></worksheet>"
            for i in range(len(names))
        },
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, _HEAD + text)
    return written.getvalue()


def _links(targets: Sequence[tuple[str, str]]) -> str:
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>'
