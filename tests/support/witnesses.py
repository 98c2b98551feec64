"""A log as its owner signs it, honest or not, and a real witness to ask."""

import base64
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.adapters.seals.signing import Signer
from progressive.application.seals.merkle import consistency_proof, leaf_hash, node_hash, root_of
from progressive.application.seals.note import COSIGNATURE, Checkpoint, Note
from tests.support.service import ANSWER_SECONDS, ROOT

CASINO = new_signer("casino.example")
LOG = CASINO.named("casino.example/main")


class SignedLog:
    """A log with a record for every name; another name somewhere is another history."""

    def __init__(self, *names: str, signer: Signer = LOG) -> None:
        self.signer = signer
        self._leaves = [leaf_hash(name.encode()) for name in names]

    @classmethod
    def of(cls, size: int, *, forked_at: int | None = None, signer: Signer = LOG) -> Self:
        """Records 1, 2, 3 …; from `forked_at` on they are others."""
        is_other = [forked_at is not None and seq >= forked_at for seq in range(1, size + 1)]
        names = [f"other {at}" if other else f"{at}" for at, other in enumerate(is_other, 1)]
        return cls(*names, signer=signer)

    def checkpoint(self, size: int | None = None) -> Checkpoint:
        size = len(self._leaves) if size is None else size
        return Checkpoint(self.signer.name, size, root_of(0, size, self._subtree))

    def note(self, size: int | None = None) -> Note:
        text = self.checkpoint(size).text
        return Note(text, (self.signer.sign(text),))

    def proof(self, old_size: int, size: int | None = None) -> list[str]:
        size = len(self._leaves) if size is None else size
        hashes = consistency_proof(old_size, size, self._subtree)
        return [base64.b64encode(each).decode() for each in hashes]

    def request(self, old_size: int, size: int | None = None) -> bytes:
        """The body of an honest `add-checkpoint`."""
        return a_request(old_size, self.proof(old_size, size), self.note(size))

    def _subtree(self, level: int, index: int) -> bytes:
        if level == 0:
            return self._leaves[index]
        return node_hash(
            self._subtree(level - 1, 2 * index), self._subtree(level - 1, 2 * index + 1)
        )


def a_request(old_size: int | str, proof: list[str], note: Note) -> bytes:
    lines = [f"old {old_size}", *proof, "", note.encoded]
    return "\n".join(lines).encode()


class WitnessFiles:
    """What a witness is started with, in a folder of its own."""

    def __init__(self, folder: Path, *logs: Signer) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.data, self.key, self.logs = folder / "data", folder / "key", folder / "logs"
        self.signer = new_signer("witness.example/w1")
        write_key(self.key, self.signer)
        lines = [each.key().text for each in logs or (CASINO,)]
        self.logs.write_text("".join([f"{line}\n" for line in lines]), "utf-8")

    @property
    def vkey(self) -> str:
        return self.signer.key(COSIGNATURE).text

    def options(self) -> list[str]:
        return [
            *("witness", "--listen", "127.0.0.1:0", "--data", str(self.data)),
            *("--key", str(self.key), "--logs", str(self.logs)),
        ]


class WitnessProcess:
    """`progressive witness` in a process of its own; `fault` is one of `faulty_witness`."""

    def __init__(
        self, files: WitnessFiles, *options: str, fault: tuple[str, int] | None = None
    ) -> None:
        module = "progressive" if fault is None else "tests.support.faulty_witness"
        first = [] if fault is None else [fault[0], str(fault[1])]
        self._log = files.data.with_suffix(".log").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *first, *files.options(), *options],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line.startswith("ready "):
            self._process.wait()
            self._close()
            raise AssertionError(
                f"not ready: {line!r}; {files.data.with_suffix('.log').read_text()}"
            )
        self.url = line.removeprefix("ready ")
        self.vkey = self._process.stdout.readline().strip()

    def wait_killed(self) -> None:
        """Until it has died by its own hand."""
        assert self._process.wait(timeout=ANSWER_SECONDS) == -signal.SIGKILL

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def terminate(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=ANSWER_SECONDS)

    def _close(self) -> None:
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()
        self._close()
