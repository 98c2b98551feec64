"""What the verifier knows of forms and names is what the service writes."""

from progressive.adapters import committed
from progressive.adapters.backup import manifest
from progressive.adapters.segments import files
from progressive.adapters.sqlite import journal_file, people_file
from progressive.application.journal import segments as written
from progressive.verifier.reading import backup, marks, segment_files, segments
from progressive.verifier.reading import journal_file as read_journal
from progressive.verifier.reading import people_file as read_people
from tests.support.service import ROOT


def test_newest_forms_of_databases_are_known() -> None:
    scripts = ROOT / "progressive" / "adapters" / "sqlite" / "sql"
    for kind, name in ((read_journal.FILE, "journal"), (read_people.FILE, "people")):
        assert kind.newest == len(list((scripts / name).glob("*.sql"))) >= 2
    assert read_journal.FILE.name == journal_file.FILE_NAME
    assert read_people.FILE.name == people_file.FILE_NAME


def test_segments_marks_and_manifests_are_of_the_same_version_and_name() -> None:
    assert segments.INDEX_VERSION == written.INDEX_VERSION
    assert segments.LANDMARKS == written.LANDMARKS
    assert segments.TABLE_PLACE_EVERY == written.TABLE_PLACE_EVERY
    for name in ("FOLDER", "RECORDS", "INDEX", "STATE"):
        assert getattr(segment_files, name) == getattr(files, name)
    assert (marks.VERSION, marks.MARKS_FOLDER) == (committed.VERSION, committed.MARKS_FOLDER)
    assert backup.VERSION == manifest.VERSION
