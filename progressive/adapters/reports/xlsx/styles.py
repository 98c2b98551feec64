"""How cells look: number formats in the floor's currency, headings, totals.

Red says two things only: an open day, and a number that should be zero and is not.
"""

from typing import Final

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook

from progressive.adapters.reports.xlsx.fields import Style
from progressive.domain.money import money_text

_INK: Final = "#1F2933"
_RED: Final = "#B42318"
_HEAD_FILL: Final = "#E4E9F0"
_FONT: Final = {"font_name": "Calibri", "font_size": 10, "font_color": _INK, "valign": "top"}


class Styles:
    """The formats of one workbook: made once each, in a fixed order."""

    def __init__(self, workbook: Workbook, currency: str) -> None:
        """In this currency."""
        mark = money_text(0, currency).removesuffix("0.00")
        quoted = f'"{mark}"' if mark else ""
        numbers: dict[Style, dict[str, object]] = {
            "text": {"num_format": "@", "text_wrap": True},
            "day": {"num_format": "yyyy-mm-dd", "align": "left"},
            "time": {"num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"},
            "int": {"num_format": "#,##0"},
            "money": {"num_format": f"{quoted}#,##0.00;-{quoted}#,##0.00"},
            "exact_money": {"num_format": f"{quoted}#,##0.00######;-{quoted}#,##0.00######"},
            "milli": {"num_format": "#,##0.000"},
            "ppm": {"num_format": '#,##0" ppm"'},
            "percent": {"num_format": "0.0000%"},
            "seq": {"num_format": "0"},
        }
        total = {"bold": True, "top": 1, "bottom": 6}

        def made(*parts: dict[str, object]) -> Format:
            return workbook.add_format({key: part[key] for part in parts for key in part})

        base: dict[str, object] = dict(_FONT)
        self.cells = {style: made(base, number) for style, number in numbers.items()}
        self.totals = {style: made(base, number, {**total}) for style, number in numbers.items()}
        self.literal = made(base, numbers["text"], {"quote_prefix": True})
        """For texts that would be a formula if somebody edited them."""
        self.title = made(base, {"bold": True, "font_size": 16})
        self.subtitle = made(base, {"font_size": 11})
        self.open_day = made(base, {"bold": True, "font_size": 22, "font_color": _RED})
        self.wrong = workbook.add_format({"bold": True, "font_color": _RED})
        self.header = made(
            base, {"bold": True, "bg_color": _HEAD_FILL, "bottom": 1, "text_wrap": True}
        )
        self.header_right = made(
            base,
            {
                "bold": True,
                "bg_color": _HEAD_FILL,
                "bottom": 1,
                "text_wrap": True,
                "align": "right",
            },
        )
        self.label = made(base, {"bold": True})
        self.prose = made(base, {"text_wrap": True})
