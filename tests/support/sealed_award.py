"""A data directory whose journal is sealed beside whoever writes it, as the sealer does it."""

import asyncio
from pathlib import Path

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer
from progressive.adapters.seals.signing import Signer
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.sealed_journal import SqliteSealedJournal
from progressive.application.seals.link_log import LinkLog, Target
from progressive.application.seals.note import COSIGNATURE, read_note
from progressive.domain.ids import LinkId
from tests.support.sealed import signed_by

HOUSE = new_signer("casino.example")
WITNESS = new_signer("witness.example/w1")
COSIGNED_AT = 1_800_000_000


async def seal(
    data: Path,
    link: LinkId = LinkId("main"),  # noqa: B008 - a text
    *,
    signer: Signer = HOUSE,
    witness: Signer | None = WITNESS,
) -> str:
    """Seal all that is durable now; the note."""
    end = await SqliteJournalReader(data, unchanged=True).journal_end(link)

    def sealed() -> str:
        folder, journal = LinkSeals(data, link), SqliteSealedJournal(data, link)
        log = LinkLog(link, "", folder, journal, signer, keys=[signer.key()], signed_by=signed_by)
        while not log.advance(Target(link, "", end.seq, end.head), records_max=10**9):
            pass
        note = read_note(log.newest.note)
        if witness is not None:
            log.cosigned(witness.key(COSIGNATURE), [witness.cosign(note.text, COSIGNED_AT)], note)
        return (folder.newest() or b"").decode()

    return await asyncio.to_thread(sealed)
