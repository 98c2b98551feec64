"""HTML: texts stay texts, the page needs nobody, and its policy allows its own style only."""

import base64
import hashlib
import re
from html.parser import HTMLParser

from msgspec.structs import replace

from progressive.adapters.reports.as_html import CONTENT_SECURITY_POLICY
from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import (
    GROWTH,
    HEAD,
    HOLD,
    HOSTILE,
    PRINTED_AT,
    hostile,
    made_up,
    plain,
    wide,
)

VOID = {"meta", "polyline", "polygon", "rect", "br", "img", "link"}


class Reader(HTMLParser):
    """Tags, attributes and cells of a page; fails on tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self._open or "th" in self._open:
            self.rows[-1][-1] += data
        elif "style" not in self._open:
            self.words.append(data)


def page_of(report: Report) -> str:
    return render(report, "html", PRINTED_AT).decode("utf-8")


def read(report: Report) -> Reader:
    return Reader(page_of(report))


def test_figures_are_those_of_the_report() -> None:
    page = read(plain(2))
    assert page.rows[2] == [
        *("BJ-01", "2026-11-01", "2026-10-31 20:00:09 EDT", "1", "$5.00", "$1.172835"),
        *("234,567 ppm", "23.4567%", "Miscounted chips", "1", "9"),
    ]
    # The totals stand before the rows: browsers print them at the foot of every page.
    assert page.rows[1] == ["Total", "", "", "3", "$15.00", "$3.518505", "", "23.4567%", "", "", ""]
    words = " ".join(page.words)
    for fact in (HEAD, "records 1 to 11", "2026-11-02 09:05:06 EST", "Prepared by", "Audited by"):
        assert fact in words


def test_hostile_texts_stay_texts() -> None:
    page = read(hostile())
    tags = {*read(plain(1)).tags} | {"bdi"}
    assert {*page.tags} <= tags
    reasons = [row[8] for row in page.rows[2:]]
    assert len(reasons) == len(HOSTILE)
    assert "<script>alert(1)</script>" in reasons
    assert '"><img src=x onerror=alert(1)>' in reasons
    assert "{{ 7*7 }} {% raw %}" in reasons
    assert "paid [U+202E]00.1$[U+202C]" in reasons
    assert "日本語 العربية Ελληνικά Ж" in reasons


def test_the_page_needs_nobody_and_runs_nothing() -> None:
    page = read(replace(hostile(), charts=(GROWTH, HOLD)))
    assert not {"script", "link", "img", "iframe", "object", "form"} & {*page.tags}
    assert not {"style", "src", "href", "srcset", "action"} & page.attributes
    assert not [name for name in page.attributes if name.startswith("on")]
    assert "url(" not in page_of(plain(1))
    assert "@import" not in page_of(plain(1))


def test_the_policy_names_the_style_that_is_there() -> None:
    for report in (plain(1), hostile(), wide()):
        page = page_of(report)
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"style-src 'sha256-{digest}'" in CONTENT_SECURITY_POLICY
        assert CONTENT_SECURITY_POLICY in page.replace("&#39;", "'").replace("&#34;", '"')


def test_an_open_day_is_said_in_large_letters() -> None:
    assert '<p class="open"><strong>OPEN DAY</strong>' in page_of(plain(1, closed=False))
    assert "<strong>OPEN DAY" not in page_of(plain(1))


def test_wide_rows_keep_all_their_cells() -> None:
    page = read(wide(2))
    cells = [cell for row in page.rows for cell in row]
    assert cells.count("312450") == 6
    assert cells.count("-$1,234,567.89012345") == 15
    assert len({len(row) for row in page.rows}) == 1


def test_charts_are_pictures_with_a_description() -> None:
    page = page_of(replace(plain(1), charts=(GROWTH,)))
    assert page.count("<svg ") == 1
    summary = "Displayed: from $1,000,000.00 to $1,019,752.96; Reserve: from $50,000.00 to"
    assert f'aria-label="Mega meter. {summary}' in page
    assert "hit A-17 at 1400" in page


def test_a_report_without_rows_says_so() -> None:
    assert "No rows." in page_of(made_up())
