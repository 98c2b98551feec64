"""A QR code as a drawing for a page: plain attributes, so that the strict policy takes it."""

from typing import Final

import segno
from markupsafe import Markup

ERROR_LEVEL: Final = "m"
"""A sheet is folded and stained: 15 percent of the code may be lost."""


def qr_of(text: str) -> segno.QRCode:
    """The code of a text."""
    return segno.make(text, error=ERROR_LEVEL, micro=False)


def qr_svg(text: str) -> Markup:
    """The same as inline SVG."""
    # Without a size of its own: the stylesheet gives it one, and nothing is cut off.
    drawing = qr_of(text).svg_inline(
        omitsize=True, svgclass="qr", lineclass=None, title="Address of the proof"
    )
    # It holds numbers of dots only: nothing of the text.
    return Markup(drawing)  # noqa: S704
