"""One spelling of a word that the rule texts use themselves: "Three 7s of the Same Color"."""

from tests.support.service import ROOT

OTHER = "colo" + "ur"
FOLDERS = ("progressive", "display", "config", "deploy", "docs", "tests")
KINDS = {".py", ".js", ".css", ".html", ".svg", ".md", ".toml", ".sql", ".sh", ".service"}


def test_color_is_spelled_as_in_the_rule_texts() -> None:
    files = [
        file
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*")
        if file.suffix in KINDS and file.is_file()
    ]
    files += ROOT.glob("*.md")
    assert len(files) >= 600
    found = [str(file) for file in files if OTHER in file.read_text("utf-8").lower()]
    assert found == []
