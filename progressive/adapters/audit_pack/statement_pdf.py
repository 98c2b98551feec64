"""The statement on paper: one page, the hashes of all files at its foot.

Lines that are too many for the page are set smaller; only where the smallest letters do not do it
do the hashes go on to a second page.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from progressive.adapters.audit_pack.statement import (
    OPEN,
    Figures,
    Section,
    banner,
    sections,
)
from progressive.adapters.reports.figures.visible import visible
from progressive.adapters.reports.figures.wrap import wrapped
from progressive.adapters.reports.pdf.paper import INK, MARGIN, MUTED, RED, RULE, Paper, Weight

_TITLE: Final = "Audit pack"
_SIZES: Final = ((78, 60), (74, 56), (70, 52), (66, 48), (62, 44), (58, 42))
"""Of text and of hashes, the largest that fits on the page is taken."""
_HEAD: Final = 1_010
"""Title, place and banner."""
_LABEL: Final = 950
_FOOT: Final = 200
_SECTION_GAP: Final = 45
_COLUMNS: Final = 2
_GAP: Final = 120
_DIGEST: Final = "0" * 65
"""As wide as a hash and a space: no letter of a hash is wider than a digit."""


class _Line(Struct, frozen=True):
    """A line of a section; the first one has the section's title beside it."""

    label: str
    text: str
    command: bool
    differs: bool


def statement_pdf(of: Figures, time_zone: str, printed: datetime) -> bytes:
    """The whole file."""
    subject = f"{of.link}, gaming day {of.day}"
    paper = Paper(time_zone, printed, _TITLE, subject)
    names = _names(of)
    room = paper.height - 2 * MARGIN - _HEAD - _FOOT
    size, small = next(
        (
            (size, small)
            for size, small in _SIZES
            if _body(of, size, paper) + _height(len(names), small) <= room
            and max(_width(path, of, small, paper) for path, _ in names) <= _column(paper)
        ),
        _SIZES[-1],
    )
    lines = list(_lines(sections(of), size, paper))
    paper.add_page()
    _head(of, paper)
    y = MARGIN + _HEAD
    for line in lines:
        y += _leading(size) + (_SECTION_GAP if line.label else 0)
        paper.words(MARGIN, y, line.label, size=size, weight="B")
        weight: Weight = "B" if line.command or line.differs else ""
        color = RED if line.differs else INK
        paper.words(MARGIN + _LABEL, y, line.text, size=size, weight=weight, color=color)
    y += 60
    whole = (paper.height - MARGIN - _FOOT - y - 2 * _leading(small)) // _leading(small)
    on_page = max(0, min(len(names), whole * _COLUMNS))
    _hashes(of, names[:on_page], small, y, paper)
    _foot(of, paper)
    per_page = (paper.height - 2 * MARGIN - _FOOT) // _leading(small) * _COLUMNS - 4 * _COLUMNS
    for begin in range(on_page, len(names), per_page):
        paper.add_page()
        _hashes(of, names[begin : begin + per_page], small, MARGIN, paper)
        _foot(of, paper)
    return paper.done()


def _leading(size: int) -> int:
    return size * 5 // 4


def _body(of: Figures, size: int, paper: Paper) -> int:
    found = sections(of)
    return len(found) * _SECTION_GAP + len(list(_lines(found, size, paper))) * _leading(size)


def _column(paper: Paper) -> int:
    return (paper.room - _GAP) // _COLUMNS


def _width(path: str, of: Figures, small: int, paper: Paper) -> int:
    return (paper.ems(_DIGEST) + paper.ems(_name(path, of, paper))) * small // 1000


def _name(path: str, of: Figures, paper: Paper) -> str:
    return paper.drawable(visible(path.replace(_common(of), "…")))


def _height(files: int, small: int) -> int:
    return 60 + (-(-files // _COLUMNS) + 2) * _leading(small)


def _names(of: Figures) -> list[tuple[str, str]]:
    return sorted(of.hashes.items())


def _common(of: Figures) -> str:
    """What all reports have in their names: it is written once."""
    return f"_{of.link}_{of.day}{'' if of.closed else '_OPEN'}"


def _lines(found: Sequence[Section], size: int, paper: Paper) -> Iterator[_Line]:
    room = (paper.room - _LABEL) * 1000 // size
    for section in found:
        label = section.title
        for text in section.lines:
            for part in wrapped(paper.drawable(visible(text)), room, paper.ems):
                yield _Line(label, part, section.commands, f" {OPEN}:" in text)
                label = ""


def _head(of: Figures, paper: Paper) -> None:
    right = MARGIN + paper.room
    word, meaning = banner(of)
    color = INK if of.closed else RED
    name = " · ".join(each for each in (of.floor, of.link_name) if each)
    place = paper.drawable(visible(f"{name} ({of.link})"))
    paper.words(MARGIN, MARGIN + 200, _TITLE, size=220, weight="B")
    paper.words(right, MARGIN + 200, f"Gaming day {of.day}", size=150, weight="B", align="right")
    paper.words(MARGIN, MARGIN + 390, place, size=110)
    top, bottom = MARGIN + 480, MARGIN + 960
    corners = [(MARGIN, top), (right, top), (right, bottom), (MARGIN, bottom), (MARGIN, top)]
    paper.line(corners, color, 20)
    paper.words(MARGIN + 120, top + 340, word, size=330, weight="B", color=color)
    paper.words(right - 120, top + 300, meaning, size=95, color=color, align="right")


def _hashes(
    of: Figures, names: Sequence[tuple[str, str]], size: int, top: int, paper: Paper
) -> None:
    """Two columns; in each the hash, then the name."""
    right = MARGIN + paper.room
    paper.line([(MARGIN, top), (right, top)], RULE, 5)
    title = f"SHA-256 of every file; … stands for {_common(of)}"
    paper.words(MARGIN, top + _leading(size) + 10, title, size=size, weight="B")
    width = _column(paper)
    rows = -(-len(names) // _COLUMNS)
    for place, (path, digest) in enumerate(names):
        column, row = divmod(place, max(rows, 1))
        x, y = MARGIN + column * (width + _GAP), top + 10 + (row + 2) * _leading(size)
        paper.words(x, y, digest, size=size, color=MUTED)
        at = x + paper.ems(_DIGEST) * size // 1000
        # A name that is too long loses its beginning; the text beside this page has all of it.
        name = _name(path, of, paper)
        while paper.ems(name) * size // 1000 > x + width - at:
            name = f"…{name[2:]}"
        paper.words(at, y, name, size=size)


def _foot(of: Figures, paper: Paper) -> None:
    y = paper.height - MARGIN
    text = f"{of.program} · printed at {of.printed} · link {of.link}, last hash {of.head}"
    paper.words(MARGIN, y, paper.drawable(visible(text)), size=60, color=MUTED)
    paper.words(MARGIN + paper.room, y, banner(of)[0], size=90, weight="B", align="right")
