"""The drawings of docs/pictures: eight rows, their conflicts, and what each measure counts.

`make docs-update` writes them again. Each has its own background, so that it reads the same on a
light and on a dark page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

GROUND, INK, QUIET, LINE = "#fbf6ea", "#2f2a25", "#8d8478", "#cdc4b4"
SHELL, BAD, GOOD = "#ffffff", "#c2472d", "#3d7a58"
EDGES = [(1, 3), (2, 3), (3, 4), (5, 6)]
ALONE = 7
PLACES = {
    1: (60, 40),
    2: (60, 130),
    3: (150, 85),
    4: (240, 85),
    5: (330, 40),
    6: (330, 130),
    7: (420, 85),
    8: (510, 85),
}
WIDTH, HEIGHT = 570, 196


def pictures() -> dict[str, str]:
    """Every drawing, by its file name."""
    return {
        "conflicts.svg": _picture(
            "Eight rows: 3 conflicts with 1, 2 and 4, 5 with 6, and 7 breaks a rule alone",
            _graph()
            + _caption("a line: these two rows break a rule; a ring: this row breaks one alone"),
        ),
        "drastic.svg": _picture(
            "Any rule broken? Yes, because of one conflict",
            _graph(lines=[(1, 3)]) + _caption("any rule broken? yes: one conflict is enough"),
        ),
        "minimal_inconsistent.svg": _picture(
            "Five conflicts: four pairs and one single row",
            _graph(lines=EDGES, rings=True, numbers=True)
            + _caption("4 pairs and 1 single row: 5 conflicts"),
        ),
        "problematic.svg": _picture(
            "Seven rows are in a conflict",
            _graph(full=range(1, 8)) + _caption("7 rows in conflict"),
        ),
        "repair.svg": _picture(
            "Three rows to delete: 3, 6 and 7",
            _graph(gone=(3, 6, 7)) + _caption("3 rows to delete, and every rule holds"),
        ),
        "maximal_consistent.svg": _ways(),
        "threshold.svg": _thresholds(),
        "interval.svg": _intervals(),
        "egg.svg": _egg(),
    }


def _picture(title: str, inside: str, width: int = WIDTH, height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">\n'
        f"<title>{title}</title>\n"
        f'<rect width="{width}" height="{height}" rx="10" fill="{GROUND}"/>\n{inside}</svg>\n'
    )


def _caption(text: str, *, x: float = WIDTH / 2, y: float = 180) -> str:
    return _text(x, y, text, colour=INK)


def _text(x: float, y: float, text: str, *, colour: str = INK, size: int = 14) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="{size}" '
        f'fill="{colour}">{text}</text>\n'
    )


def _line(a: tuple[float, float], b: tuple[float, float], colour: str, more: str = "") -> str:
    return (
        f'<line x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}" stroke="{colour}" '
        f'stroke-width="3"{more}/>\n'
    )


def _row(place: tuple[float, float], name: int, *, full: bool, gone: bool, radius: float) -> str:
    x, y = place
    fill = BAD if full else SHELL
    border = QUIET if gone else (BAD if full else INK)
    ink = SHELL if full else INK
    dashes = ' stroke-dasharray="4 4"' if gone else ""
    found = (
        f'<ellipse cx="{x:g}" cy="{y:g}" rx="{radius * 0.9:g}" ry="{radius * 1.1:g}" '
        f'fill="{fill}" stroke="{border}" stroke-width="2"{dashes}/>\n'
    )
    if gone:
        reach = radius * 0.9
        found += _line((x - reach, y - reach), (x + reach, y + reach), BAD, ' opacity="0.55"')
        found += _line((x - reach, y + reach), (x + reach, y - reach), BAD, ' opacity="0.55"')
    return found + _text(x, y + 5, str(name), colour=ink, size=14 if radius > 14 else 11)


def _graph(
    *,
    lines: Collection[tuple[int, int]] = (),
    rings: bool = False,
    numbers: bool = False,
    full: Collection[int] = (),
    gone: Collection[int] = (),
    place: Callable[[tuple[float, float]], tuple[float, float]] = lambda at: at,
    radius: float = 19,
) -> str:
    """The eight rows; what is named is drawn so that it stands out."""
    found = ""
    for edge in EDGES:
        a, b = (place(PLACES[row]) for row in edge)
        loose = any(row in gone for row in edge)
        dashes = ' stroke-dasharray="4 5"' if loose else ""
        found += _line(a, b, BAD if edge in lines else (LINE if loose else QUIET), dashes)
    x, y = place(PLACES[ALONE])
    ring = BAD if rings else (LINE if ALONE in gone else QUIET)
    found += (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius * 1.55:g}" fill="none" stroke="{ring}" '
        'stroke-width="3"/>\n'
    )
    for row, at in PLACES.items():
        found += _row(place(at), row, full=row in full, gone=row in gone, radius=radius)
    if numbers:
        for count, (one, other) in enumerate(EDGES, 1):
            (x1, y1), (x2, y2) = PLACES[one], PLACES[other]
            found += _count((x1 + x2) / 2, (y1 + y2) / 2, count)
        found += _count(PLACES[ALONE][0], PLACES[ALONE][1] - 30, len(EDGES) + 1)
    return found


def _count(x: float, y: float, number: int) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="10" fill="{BAD}"/>\n' + _text(
        x, y + 4, str(number), colour=SHELL, size=12
    )


def _ways() -> str:
    """The four maximal clean parts."""
    found = ""
    for position, gone in enumerate([(3, 6, 7), (3, 5, 7), (1, 2, 4, 6, 7), (1, 2, 4, 5, 7)]):
        left, top = position % 2 * 285, position // 2 * 100
        found += _graph(
            gone=gone,
            radius=11,
            place=lambda at, left=left, top=top: (left + 8 + at[0] * 0.48, top + 12 + at[1] * 0.48),  # type: ignore[misc]
        )
        kept = [str(row) for row in PLACES if row not in gone]
        found += _text(left + 142, top + 100, "keep " + ", ".join(kept), colour=QUIET, size=12)
    found += _caption("4 ways to clean, and 4 is 2 to the power of 2: log2 is 2", y=232)
    return _picture("The four largest sets of rows that break no rule", found, height=248)


def _thresholds() -> str:
    """How much of the star around row 3 counts at thresholds 1, 2 and 3."""
    found = ""
    for position, limit in enumerate((1, 2, 3)):
        left = position * 190
        centre = (left + 95.0, 85.0)
        ends = {1: (left + 40.0, 35.0), 2: (left + 40.0, 135.0), 4: (left + 155.0, 85.0)}
        for count, (_, end) in enumerate(sorted(ends.items()), 1):
            counted = count <= limit
            found += _line(
                centre, end, BAD if counted else LINE, "" if counted else ' stroke-dasharray="4 5"'
            )
        for row, end in {3: centre, **ends}.items():
            found += _row(end, row, full=False, gone=False, radius=17)
        found += _caption(f"threshold {limit}: {limit} of 3 count", x=left + 95)
    return _picture("At threshold 1 one of row 3's conflicts counts, at 2 two, at 3 all", found)


def _intervals() -> str:
    """An interval with two ends and one with one."""
    found = ""
    for top, name, low, value, high in (
        (50, "two ends: Rows to delete, Rows", 210.0, 290.0, 370.0),
        (110, "a lower end only: Conflicts, Rows in conflict", 250.0, 330.0, None),
    ):
        end = (530.0 if high is None else high, top + 22.0)
        found += _text(285, top - 4, name)
        found += _line((40, top + 22), (530, top + 22), LINE)
        found += _line((low, top + 22), end, GOOD, ' stroke-linecap="round"')
        found += _line((low, top + 13), (low, top + 31), GOOD)
        if high is None:
            found += _line((522, top + 14), (532, top + 22), GOOD)
            found += _line((522, top + 30), (532, top + 22), GOOD)
        else:
            found += _line((high, top + 13), (high, top + 31), GOOD)
        found += f'<circle cx="{value:g}" cy="{top + 22}" r="7" fill="{INK}"/>\n'
    found += _caption("dot: estimate; bar: the true number is here in 95 of 100 releases")
    return _picture("An interval with two ends, and one with a lower end only", found)


def _egg() -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
        '<path d="M16 2c6 0 11 9 11 17a11 11 0 0 1-22 0C5 11 10 2 16 2z" fill="#f3c969" '
        'stroke="#8a5a16" stroke-width="2"/></svg>\n'
    )
