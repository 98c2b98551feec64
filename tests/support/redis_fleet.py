"""Redis servers and Sentinels on loopback, from the very files of `deploy/redis`.

Only addresses, ports and paths are others than on a casino's machines; passwords are those of the
files. Used by drills, and by `make cluster`.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from progressive.adapters.redis.place import RedisPlace, redis_place
from tests.support.certificates import Certificates
from tests.support.redis_server import free_port
from tests.support.service import ROOT

DEPLOY: Final = ROOT / "deploy" / "redis"
SERVICE: Final = "progressive"
SENTINELS: Final = 3
WAIT_SECONDS: Final = 60
"""A safety net for a hung test, never a measure of speed."""
ENVIRONMENT: Final = {
    "PROGRESSIVE_REDIS_USER": "progressive",
    "PROGRESSIVE_REDIS_PASSWORD": "CHANGE-progressive",
    "PROGRESSIVE_SENTINEL_PASSWORD": "CHANGE-sentinels",
}
ADMIN: Final = ("--user", "admin", "--pass", "CHANGE-admin", "--no-auth-warning")
SENTINEL: Final = ("--pass", "CHANGE-sentinels", "--no-auth-warning")


class DeployedProcess:
    """A server or a Sentinel with a folder of its own; `start` begins on what the folder holds."""

    def __init__(
        self, folder: Path, kind: str, tls: Certificates | None = None, **replaced: str
    ) -> None:
        self.folder = folder
        self.port = free_port()
        self._kind = kind
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True)
        shutil.copy(DEPLOY / "users.acl", folder)
        text = (DEPLOY / f"{kind}.conf").read_text()
        for old, new in {
            "10.0.0.21 127.0.0.1": "127.0.0.1",
            "10.0.0.31 127.0.0.1": "127.0.0.1",
            "port 6379": f"port {self.port}",
            "port 26379": f"port {self.port}",
            "/etc/redis": str(folder),
            "/var/lib/redis": str(folder),
            "/var/log/redis": str(folder),
            "/run/redis": str(folder),
            "/run/sentinel": str(folder),
            **replaced,
        }.items():
            text = text.replace(old, new)
        self._tls: tuple[str, ...] = ()
        if tls is not None:
            # What the files say to do.
            text = re.sub(r"(?m)^# (port 0|tls-.*)$", r"\1", text)
            (folder / "tls").mkdir()
            for source, name in (
                (tls.ca, "ca.crt"),
                (tls.cert, "redis.crt"),
                (tls.key, "redis.key"),
            ):
                shutil.copy(source, folder / "tls" / name)
            self._tls = ("--tls", "--cacert", str(tls.ca))
        self._file.write_text(text)

    @property
    def _file(self) -> Path:
        return self.folder / f"{self._kind}.conf"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it was started and runs no more."""
        return self._process is not None and self._process.poll() is not None

    def add(self, line: str) -> None:
        """One more line for its configuration."""
        self._file.write_text(f"{self._file.read_text()}\n{line}\n")

    def start(self) -> None:
        sentinel = ["--sentinel"] if self._kind == "sentinel" else []
        self._process = subprocess.Popen(
            ["redis-server", str(self._file), *sentinel],
            # Ctrl-C is for the program that started it.
            start_new_session=True,
        )
        self._wait_until_it_answers()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def command(self, *words: str) -> str:
        """What `redis-cli` says to an administrator."""
        who = SENTINEL if self._kind == "sentinel" else ADMIN
        done = subprocess.run(
            ["redis-cli", "-h", "127.0.0.1", "-p", str(self.port), *self._tls, *who, *words],
            capture_output=True,
            text=True,
            check=True,
            timeout=WAIT_SECONDS,
        )
        return done.stdout.strip()

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        ends = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < ends:
            assert self._process.poll() is None, self._ended_with()
            try:
                if self.command("PING") == "PONG":
                    return
            except subprocess.CalledProcessError:
                pass
            time.sleep(0.02)
        raise TimeoutError("redis-server does not answer")

    def _ended_with(self) -> str:
        return "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))


class RedisFleet:
    """A primary, replicas, and Sentinels that watch them; gone when the block is left."""

    def __init__(
        self,
        folder: Path,
        *,
        replicas: int = 1,
        sentinels: int = SENTINELS,
        tls: Certificates | None = None,
    ) -> None:
        self._tls = tls
        self.servers = [DeployedProcess(folder / "redis-1", "redis", tls)]
        first = self.servers[0].port
        for number in range(replicas):
            self.servers.append(DeployedProcess(folder / f"redis-{number + 2}", "redis", tls))
            self.servers[-1].add(f"replicaof 127.0.0.1 {first}")
        self.sentinels = [
            DeployedProcess(
                folder / f"sentinel-{number + 1}",
                "sentinel",
                tls,
                **{f"{SERVICE} 10.0.0.21 6379": f"{SERVICE} 127.0.0.1 {first}"},
            )
            for number in range(sentinels)
        ]

    def __enter__(self) -> Self:
        try:
            for each in self.servers:
                each.start()
            self.wait_for_replicas(len(self.servers) - 1)
            for each in self.sentinels:
                each.start()
            self._wait_until_sentinels_know_each_other()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """All of it. Sentinels first: they would promote."""
        for each in (*self.sentinels, *self.servers):
            each.kill()

    def store(self, *, replicas: int, prefix: str = "progressive") -> str:
        """What `--store` says; log-ins come from `ENVIRONMENT`."""
        hosts = ",".join(f"127.0.0.1:{each.port}" for each in self.sentinels)
        options = f"replicas={replicas}&prefix={prefix}"
        if self._tls is not None:
            return f"rediss+sentinel://{hosts}/{SERVICE}?{options}&ca={self._tls.ca}"
        return f"redis+sentinel://{hosts}/{SERVICE}?{options}"

    def place(self, *, replicas: int) -> RedisPlace:
        return redis_place(self.store(replicas=replicas), ENVIRONMENT)

    def primary(self) -> DeployedProcess:
        """Whom the Sentinels name now."""
        words = self.sentinels[0].command("SENTINEL", "get-master-addr-by-name", SERVICE).split()
        return next(each for each in self.servers if str(each.port) == words[1])

    def wait_for_primary(self, *, other_than: DeployedProcess) -> DeployedProcess:
        """Once another server is promoted."""
        _until(lambda: self.primary() is not other_than, "no other server was promoted")
        promoted = self.primary()
        _until(lambda: promoted.command("ROLE").startswith("master"), "not promoted")
        return promoted

    def wait_for_replicas(self, number: int) -> None:
        """Once as many replicas follow the first server without lag."""
        said = f"connected_slaves:{number}\nmin_slaves_good_slaves:{number}"
        _until(
            lambda: (
                said in self.servers[0].command("INFO", "replication").replace("\r", "")
                or number == 0
            ),
            "replicas do not follow",
        )

    def _wait_until_sentinels_know_each_other(self) -> None:
        def all_known() -> bool:
            for each in self.sentinels:
                words = each.command("SENTINEL", "MASTER", SERVICE).split()
                named = dict(zip(words[::2], words[1::2], strict=False))
                known = named.get("num-other-sentinels"), named.get("num-slaves")
                if known != (str(len(self.sentinels) - 1), str(len(self.servers) - 1)):
                    return False
            return True

        _until(all_known, "Sentinels do not know each other")


def _until(happened: Callable[[], bool], otherwise: str) -> None:
    ends = time.monotonic() + WAIT_SECONDS
    while not happened():
        if time.monotonic() > ends:
            raise TimeoutError(otherwise)
        time.sleep(0.05)
