"""The sign servers measured side by side: ours, and what others would use."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.bench.processes import Server, process, python_server, telling_its_port
from tests.bench.sign_frames import Broadcast
from tests.bench.sign_load import Greeting, nats_greeting, no_greeting
from tests.bench.sign_servers import update_template

HERE = Path(__file__).parent
INSTALLED = HERE.parents[1] / ".venv" / "bench"
"""Where `install-peers.sh` puts what is not a Python package."""
NATS_CONFIG = "listen: 127.0.0.1:-1\nwebsocket { listen: 127.0.0.1:-1, no_tls: true }\n"


class Started(Struct, frozen=True):
    """A sign server that runs, and how to have it send."""

    server: Server
    send: Callable[[Broadcast], None]
    """Begins it and does not wait: when all is sent, the signs know."""
    greeting: Greeting = no_greeting


class Peer(Struct, frozen=True):
    """A sign server that can be started."""

    label: str
    start: Callable[[], AbstractContextManager[Started]]
    is_here: Callable[[], bool] = lambda: True


@contextmanager
def _python(name: str) -> Iterator[Started]:
    with (
        tempfile.TemporaryDirectory() as folder,
        python_server("sign_servers", name, Path(folder)) as server,
    ):
        yield Started(server, partial(_ask, server))


@contextmanager
def _node() -> Iterator[Started]:
    command = ["node", str(HERE / "node_ws.cjs"), update_template().decode()]
    with telling_its_port(command, NODE_PATH=str(INSTALLED / "node_modules")) as server:
        yield Started(server, partial(_ask, server))


def _ask(server: Server, wanted: Broadcast) -> None:
    path = "announce" if wanted.at_once else "broadcast"
    query = f"count={wanted.count}&pause_ms={wanted.pause_ms}"
    with socket.create_connection(("127.0.0.1", server.port)) as asking:
        asking.sendall(f"GET /{path}?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())


def _node_is_here() -> bool:
    return shutil.which("node") is not None and (INSTALLED / "node_modules" / "ws").is_dir()


def _nats_program() -> str | None:
    places = [str(INSTALLED / "usr" / "sbin"), os.environ.get("PATH", ""), "/usr/sbin"]
    return shutil.which("nats-server", path=os.pathsep.join(places))


@contextmanager
def _nats() -> Iterator[Started]:
    program = _nats_program()
    assert program is not None
    publishers: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "nats.conf")
        config.write_text(NATS_CONFIG)
        options = ["-c", str(config), "--ports_file_dir", folder, "-l", f"{folder}/log"]
        with process([program, *options]) as running:
            ports = _nats_ports(Path(folder))
            yield Started(
                Server(ports["websocket"], running.pid),
                lambda wanted: publishers.append(_nats_publisher(ports["nats"], wanted)),
                nats_greeting,
            )
        for publisher in publishers:
            publisher.kill()
            publisher.wait()


def _nats_ports(folder: Path) -> dict[str, int]:
    """It picks free ports and writes them down."""
    while True:
        for written in folder.glob("*.ports"):
            if text := written.read_text():
                urls = msgspec.json.decode(text, type=dict[str, list[str]])
                return {kind: int(url[0].rpartition(":")[2]) for kind, url in urls.items()}
        time.sleep(0.01)


def _nats_publisher(port: int, wanted: Broadcast) -> subprocess.Popen[bytes]:
    module = [sys.executable, "-m", "tests.bench.nats_publisher"]
    publisher = subprocess.Popen(
        [*module, str(port), msgspec.json.encode(wanted).decode()], stdin=subprocess.PIPE
    )
    assert publisher.stdin is not None
    publisher.stdin.write(update_template())
    publisher.stdin.close()
    return publisher


HUB = Peer("the hub", partial(_python, "hub"))
SEND_STR = Peer("aiohttp send_str loop", partial(_python, "send-str"))
NODE = Peer("node ws", _node, _node_is_here)
WEBSOCKETS = Peer(
    "websockets.broadcast",
    partial(_python, "websockets"),
    lambda: importlib.util.find_spec("websockets") is not None,
)
NATS = Peer("NATS websocket listener", _nats, lambda: _nats_program() is not None)
PEERS = (SEND_STR, NODE, WEBSOCKETS, NATS, HUB)
