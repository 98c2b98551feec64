"""An address is taken whole before anything else is opened, and given back whatever happens."""

import socket

import pytest

from progressive.runtime.listening import CannotListenError, listening


async def test_a_taken_address_is_refused_while_it_is_listened_on_and_free_afterwards() -> None:
    async with listening("127.0.0.1", 0) as first:
        assert first.url() == f"http://127.0.0.1:{first.port}"
        assert first.everywhere is None
        with pytest.raises(CannotListenError) as refused:
            async with listening("127.0.0.1", first.port):
                pass
        assert str(refused.value) == (
            f"127.0.0.1:{first.port} is in use (use --listen for another port)"
        )
    async with listening("127.0.0.1", first.port):
        pass


async def test_who_connects_before_anything_is_accepted_waits() -> None:
    async with listening("127.0.0.1", 0) as taken:
        with socket.create_connection(("127.0.0.1", taken.port)):
            pass


def has_ipv6() -> bool:
    """Whether this machine has the loopback address of IPv6."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    ("host", "opened", "everywhere"),
    [
        ("0.0.0.0", "127.0.0.1", "0.0.0.0:{}"),
        ("0", "127.0.0.1", "0.0.0.0:{}"),
        ("::", "[::1]", "[::]:{}"),
    ],
)
async def test_every_address_of_the_machine_is_shown_as_one_that_can_be_opened(
    host: str, opened: str, everywhere: str
) -> None:
    if ":" in host and not has_ipv6():
        # Then the address cannot be had, and that is what is said.
        with pytest.raises(CannotListenError, match="cannot listen on"):
            async with listening(host, 0):
                pass
        return
    async with listening(host, 0) as taken:
        assert taken.url("https") == f"https://{opened}:{taken.port}"
        assert taken.everywhere == everywhere.format(taken.port)
        with socket.create_connection((opened.strip("[]"), taken.port)):
            pass


async def test_all_addresses_of_a_name_get_one_port() -> None:
    async with listening("localhost", 0) as taken:
        assert {each.getsockname()[1] for each in taken.sockets} == {taken.port}
        assert taken.url() == f"http://localhost:{taken.port}"


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("no-such-host.invalid", "unknown host (use --listen HOST:PORT)"),
        ("a..b", "unknown host (use --listen HOST:PORT)"),
        # A documentation address: no machine has it.
        ("192.0.2.1", "this machine does not have that address (use --listen HOST:PORT)"),
    ],
)
async def test_an_address_that_cannot_be_had_is_said_in_words(host: str, why: str) -> None:
    with pytest.raises(CannotListenError) as refused:
        async with listening(host, 8080):
            pass
    assert str(refused.value) == f"cannot listen on {host}:8080: {why}"


async def test_a_block_that_fails_gives_the_address_back() -> None:
    with pytest.raises(ZeroDivisionError):
        async with listening("127.0.0.1", 0) as taken:
            raise ZeroDivisionError
    async with listening("127.0.0.1", taken.port):
        pass
