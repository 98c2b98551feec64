"""What a page owes to people who do not see it, do not use a mouse, or see it badly.

Checks of our own in the manner of axe: names of controls, unique ids, order of headings, contrast
as the browser painted it, focus that moves in order and can be seen, nothing off the screen.
"""

import re
from pathlib import Path
from typing import Any

from playwright.async_api import Page

TOKENS = Path(__file__).parents[2] / "display" / "web" / "kit" / "tokens.css"

TEXT_CONTRAST = 4.5
EDGE_CONTRAST = 3.0
TABS_MAX = 200

_FINDINGS = Path(__file__).with_name("accessibility.js").read_text("utf-8")
_FOCUS = """
() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const all = [...document.querySelectorAll("*")];
  const style = getComputedStyle(element);
  return {
    place: all.indexOf(element),
    told: `<${element.localName}> ${element.textContent.trim().slice(0, 40)}`,
    ringed: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  };
}
"""


async def assert_accessible(page: Page, *, target_px: int = 40) -> None:
    """The page as it is now, every visible part of it."""
    options = {"contrast": TEXT_CONTRAST, "target": target_px}
    found: list[str] = await page.evaluate(_FINDINGS, options)
    assert not found, "\n".join(found)


async def assert_focus_in_order(page: Page) -> None:
    """Tab goes through the page from top to bottom, and one always sees where one is."""
    await page.evaluate("() => document.activeElement?.blur()")
    places: list[int] = []
    for _ in range(TABS_MAX):
        await page.keyboard.press("Tab")
        at: dict[str, Any] | None = await page.evaluate(_FOCUS)
        # The browser goes round: the first one again, or its own controls.
        if at is None or (places and at["place"] == places[0]):
            break
        assert at["ringed"], f"no focus ring: {at['told']}"
        places.append(at["place"])
    assert places, "nothing takes the focus"
    assert places == sorted(places), "Tab jumps back and forth"


# --- tokens -------------------------------------------------------------------------------------


def tokens() -> dict[str, tuple[str, str]]:
    """Every color by name: in light, and in dark."""
    text = TOKENS.read_text("utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", text)
    plain = re.findall(r"--([\w-]+): (#\w{6});", text)
    return {name: (light, dark) for name, light, dark in pairs} | {
        name: (color, color) for name, color in plain
    }


def contrast(one: str, other: str) -> float:
    """WCAG 2: from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
