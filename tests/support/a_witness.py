"""A witness as a stranger would write one from C2SP tlog-witness, inside the test."""

import base64
import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from progressive.adapters.seals.key_file import new_signer
from progressive.adapters.seals.signing import signatures_by
from progressive.application.seals.merkle import extends
from progressive.application.seals.note import (
    COSIGNATURE,
    Checkpoint,
    VerifierKey,
    read_checkpoint,
    read_note,
)

TIME = 1_794_000_000
TEXT = "text/plain"


class AWitness:
    """Cosigns what extends what it has cosigned; `mute` answers nothing of use."""

    def __init__(self, log: VerifierKey, name: str = "regulator") -> None:
        self.signer = new_signer(name)
        self._log = log
        self.seen: dict[str, Checkpoint] = {}
        self.asked = 0
        self.mute = False
        self.url = ""

    @property
    def option(self) -> str:
        """What `--witness` is given."""
        return f"{self.url} {self.signer.key(COSIGNATURE).text}"

    @property
    def key(self) -> VerifierKey:
        return self.signer.key(COSIGNATURE)

    def answer(self, body: bytes) -> tuple[int, bytes, str]:
        """Status, body and type."""
        self.asked += 1
        if self.mute:
            return 500, b"", TEXT
        head, _, stored = body.partition(b"\n\n")
        lines = head.decode().split("\n")
        old = int(lines[0].removeprefix("old "))
        note = read_note(stored)
        checkpoint = read_checkpoint(note.text)
        if not signatures_by(note, [self._log.named(checkpoint.origin)]):
            return 403, b"", TEXT
        empty = Checkpoint(checkpoint.origin, 0, checkpoint.root)
        seen = self.seen.get(checkpoint.origin, empty)
        if old != seen.size or (old == checkpoint.size and seen.root != checkpoint.root):
            return 409, f"{seen.size}\n".encode(), "text/x.tlog.size"
        proof = [base64.b64decode(line) for line in lines[1:]]
        grown = old != checkpoint.size and old > 0
        if grown and not extends(old, seen.root, checkpoint.size, checkpoint.root, proof):
            return 422, b"", TEXT
        self.seen[checkpoint.origin] = checkpoint
        return 200, self.signer.cosign(note.text, TIME).line.encode(), TEXT


@contextlib.contextmanager
def witnessing(witness: AWitness) -> Iterator[AWitness]:
    """In threads of its own: a test may wait for a process that waits for the witness."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found = self.path == "/add-checkpoint"
            status, answer, kind = witness.answer(body) if found else (404, b"", TEXT)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        witness.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield witness
        finally:
            server.shutdown()
            thread.join()
