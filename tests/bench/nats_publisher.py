"""Publishes updates to a NATS server: `python -m tests.bench.nats_publisher PORT BROADCAST`.

The template comes on standard input, the broadcast as JSON. Unless all are wanted at once, the next
update goes when the one before has been dealt with, as with every other server: what waits together
NATS sends together, and that is a figure of its own. A process of its own, so that it never waits
for the load's naps.
"""

import socket
import sys
import time

import msgspec

from tests.bench.sign_frames import Broadcast, nats_publish, stamped


def main() -> None:
    port, wanted = int(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Broadcast)
    template = sys.stdin.buffer.read()
    with socket.create_connection(("127.0.0.1", port)) as broker:
        broker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        broker.sendall(b'CONNECT {"verbose":false}\r\nPING\r\n')
        wait_for_pongs(broker, 1)
        if wanted.at_once:
            broker.sendall(b"".join(nats_publish(stamped(template)) for _ in range(wanted.count)))
            wait_for_pongs(broker, wanted.count)
        else:
            publish_one_by_one(broker, template, wanted)


def publish_one_by_one(broker: socket.socket, template: bytes, wanted: Broadcast) -> None:
    due = time.monotonic()
    for _ in range(wanted.count):
        broker.sendall(nats_publish(stamped(template)))
        wait_for_pongs(broker, 1)
        due += wanted.pause_ms / 1000
        if wanted.pause_ms:
            time.sleep(max(0.0, due - time.monotonic()))


def wait_for_pongs(broker: socket.socket, count: int) -> None:
    said = b""
    while said.count(b"PONG\r\n") < count:
        heard = broker.recv(65536)
        assert heard, "closed by the server"
        said += heard


if __name__ == "__main__":
    main()
