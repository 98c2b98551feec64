"""Paper: pages, two typefaces that are embedded, lines and words at places.

Lengths are whole tenths of a point, from the upper left corner; letters are measured in thousandths
of their size. Roboto has Latin, Greek and Cyrillic letters; any other character is drawn as its
number, `[U+4E2D]`: never an empty box, never nothing.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

from font_roboto import font_files
from fpdf import FPDF
from fpdf.fonts import TTFFont

from progressive.adapters.reports.figures.visible import number_of
from progressive.adapters.reports.pdf.archive import COMPLIANCE, about_text

Color = tuple[int, int, int]
INK: Final = (31, 41, 51)
SECOND_INK: Final = (46, 84, 130)
"""Every other line of a row that has several, in the header as in the rows."""
MUTED: Final = (91, 104, 118)
RULE: Final = (190, 199, 209)
HEAD_FILL: Final = (228, 233, 240)
ZEBRA: Final = (246, 248, 250)
RED: Final = (180, 35, 24)

_CREATOR: Final = "progressive"
_FAMILY: Final = "roboto"
_LETTER: Final = (6120, 7920)
_A4: Final = (5953, 8419)
MARGIN: Final = 380
_EM: Final = 1000

Weight = Literal["", "B"]
Align = Literal["left", "right", "center"]


class Paper:
    """One document while it is drawn."""

    def __init__(self, time_zone: str, printed_at: datetime, title: str, subject: str) -> None:
        """Letter size in the Americas, A4 elsewhere."""
        self._pdf = pdf = FPDF(unit=0.1, enforce_compliance=COMPLIANCE)
        pdf.set_creation_date(printed_at)
        pdf.set_title(title)
        pdf.set_subject(subject)
        pdf.set_creator(_CREATOR)
        pdf.set_producer(_CREATOR)
        pdf.set_xmp_metadata(about_text(title, subject, _CREATOR, printed_at))
        pdf.set_lang("en")
        pdf.set_auto_page_break(False)
        pdf.set_margin(0)
        pdf.add_font(_FAMILY, "", font_files["Roboto"])
        pdf.add_font(_FAMILY, "B", font_files["RobotoBold"])
        self._sides = _LETTER if time_zone.startswith("America/") else _A4
        self._widths: dict[Weight, dict[str, int]] = {"": {}, "B": {}}
        self._drawable: dict[str, str] = {}
        self._codes = {
            code for font in pdf.fonts.values() if isinstance(font, TTFFont) for code in font.cmap
        }
        self.width, self.height = self._sides
        self.turn(landscape=False)

    def turn(self, *, landscape: bool) -> None:
        """How all pages from now on lie."""
        short, long = self._sides
        self.width, self.height = (long, short) if landscape else (short, long)

    @property
    def room(self) -> int:
        """Between the left and the right margin."""
        return self.width - 2 * MARGIN

    def add_page(self) -> None:
        """A new, empty page."""
        self._pdf.add_page(format=(self.width, self.height))

    def done(self) -> bytes:
        """The document."""
        return bytes(self._pdf.output())

    def drawable(self, text: str) -> str:
        """The text with every character that the typeface does not have as its number."""
        if text.isascii():
            return text
        found = self._drawable.get(text)
        if found is None:
            found = "".join(
                character if ord(character) in self._codes else number_of(character)
                for character in text
            )
            self._drawable[text] = found
        return found

    def ems(self, text: str, weight: Weight = "") -> int:
        """How wide a text is, in thousandths of its size."""
        widths = self._widths[weight]
        try:
            return sum(map(widths.__getitem__, text))
        except KeyError:
            self._pdf.set_font(_FAMILY, weight, _EM // 10)
            for character in set(text) - widths.keys():
                widths[character] = round(self._pdf.get_string_width(character))
            return sum(map(widths.__getitem__, text))

    def words(
        self,
        x: int,
        y: int,
        text: str,
        *,
        size: int,
        weight: Weight = "",
        color: Color = INK,
        align: Align = "left",
    ) -> None:
        """A text on the baseline `y`: from, up to or around `x`."""
        if align != "left":
            wide = self.ems(text, weight) * size // _EM
            x -= wide if align == "right" else wide // 2
        self._pdf.set_font(_FAMILY, weight, size / 10)
        self._pdf.set_text_color(*color)
        self._pdf.text(x, y, text)

    def line(
        self,
        points: Sequence[tuple[int, int]],
        color: Color,
        thickness: int,
        dash: tuple[int, int] | None = None,
    ) -> None:
        """Through all points."""
        self._pdf.set_draw_color(*color)
        self._pdf.set_line_width(thickness)
        if dash is None:
            self._pdf.set_dash_pattern()
        else:
            self._pdf.set_dash_pattern(dash=dash[0], gap=dash[1])
        if len(points) == 2:
            (x1, y1), (x2, y2) = points
            self._pdf.line(x1, y1, x2, y2)
        else:
            self._pdf.polyline(list(points))

    def area(self, points: Sequence[tuple[int, int]], color: Color) -> None:
        """A filled shape."""
        self._pdf.set_fill_color(*color)
        self._pdf.polygon(list(points), style="F")

    def box(self, x: int, y: int, width: int, height: int, color: Color) -> None:
        """A filled box."""
        self._pdf.set_fill_color(*color)
        self._pdf.rect(x, y, width, height, style="F")
