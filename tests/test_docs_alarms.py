"""Every alarm has its word on the console, and its row in `docs/pit-console.md`."""

import re

from progressive.domain.alarms import AlarmKind
from tests.support.service import ROOT


def test_every_alarm_is_described() -> None:
    words = (ROOT / "progressive/entry/web/pit/words.js").read_text()
    (listed,) = re.findall(r"const ALARMS = \{(.*?)\};", words, re.DOTALL)
    labels = dict(re.findall(r'(\w+): "([^"]+)"', listed))
    assert labels.keys() == {kind.value for kind in AlarmKind}
    page = (ROOT / "docs/pit-console.md").read_text()
    described = re.findall(r"^\| ([^|]+) \|", page.split("## Alarms")[1], re.MULTILINE)
    assert sorted(set(labels.values()) - set(described)) == []
