"""Which node a table tries next."""

import pytest

from progressive.client.route import HOPS_MAX, Route

A, B, C = "http://a:1", "https://b:2", "http://c:3"


def test_nodes_come_in_turn() -> None:
    route = Route([A, B])
    tried = []
    for _ in range(4):
        tried.append(route.node)
        route.next_node()
    assert tried == [A, B, A, B]
    assert route.has_others
    assert not Route([A, f"{A}/"]).has_others


def test_leader_among_the_nodes_is_where_the_turn_goes_on() -> None:
    route = Route([A, C, "http://d:4"])
    assert route.sent_to(C)
    assert route.node == C
    route.next_node()
    assert route.node == "http://d:4"


def test_node_that_names_one_that_is_gone_is_not_asked_first_again() -> None:
    route = Route([A, C])
    assert route.sent_to("http://gone:9")
    assert route.node == "http://gone:9"
    route.next_node()
    assert route.node == C


@pytest.mark.parametrize("said", ["", A, "ftp://c:3", "http://", "http://user:word@c:3"])
def test_no_way_there(said: str) -> None:
    route = Route([A])
    assert not route.sent_to(said)
    assert route.node == A


def test_nobody_is_led_from_a_safe_connection_to_an_open_one() -> None:
    route = Route([B])
    assert not route.sent_to(C)
    assert route.sent_to("https://c:3")


def test_hops_have_an_end_until_a_node_answers() -> None:
    route = Route([A, C])
    for _ in range(HOPS_MAX // 2):
        assert route.sent_to(C)
        assert route.sent_to(A)
    assert not route.sent_to(C)
    route.arrived()
    assert route.sent_to(C)


@pytest.mark.parametrize("nodes", [[], ["nowhere"], ["ftp://a:1"]])
def test_nodes_are_addresses(nodes: list[str]) -> None:
    with pytest.raises(ValueError, match=r"no node|not http"):
        Route(nodes)
