"""What `--store` may say of a Redis server or of Sentinels, and what of it is never printed."""

import pytest

from progressive.adapters.redis.place import BadPlaceError, LogIn, redis_place
from progressive.entry.stores import is_shared, kind_of, unknown_store

SENTINELS = "redis+sentinel://a.example:1,b.example,[::1]:3/floor?db=2&replicas=1&prefix=house"
LOG_INS = {
    "PROGRESSIVE_REDIS_USER": "progressive",
    "PROGRESSIVE_REDIS_PASSWORD": "of-server",
    "PROGRESSIVE_SENTINEL_PASSWORD": "of-sentinel",
}


def test_sentinels_are_read_with_their_service() -> None:
    place = redis_place(SENTINELS, {})
    assert place.sentinels == (("a.example", 1), ("b.example", 26379), ("::1", 3))
    assert (place.service, place.db, place.replicas, place.prefix) == ("floor", 2, 1, "house")
    assert (place.log_in, place.tls) == (LogIn(), False)


def test_server_needs_no_sentinel() -> None:
    place = redis_place("redis://a.example:1/3?replicas=2", {})
    assert (place.url, place.sentinels, place.replicas) == ("redis://a.example:1/3", (), 2)


def test_log_ins_come_from_the_environment() -> None:
    for url in (SENTINELS, "redis://a.example/0"):
        assert redis_place(url, LOG_INS).log_in == LogIn("progressive", "of-server")
    assert redis_place(SENTINELS, LOG_INS).sentinel_log_in == LogIn(None, "of-sentinel")


def test_log_in_in_the_url_counts_before_the_environment() -> None:
    url = SENTINELS.replace("//", "//me:p%40ss@")
    assert redis_place(url, LOG_INS).log_in == LogIn("me", "p@ss")
    assert redis_place(SENTINELS.replace("//", "//:p@"), LOG_INS).log_in == LogIn(None, "p")


@pytest.mark.parametrize("url", [SENTINELS, "redis://a.example:1/3", "rediss://a.example:1/3"])
def test_passwords_are_never_shown(url: str) -> None:
    place = redis_place(url.replace("//", "//me:hidden@"), LOG_INS)
    for said in (place.shown, repr(place), str(place), repr(place.log_in), f"{place!r}"):
        assert not any(word in said for word in ("hidden", "me:", "of-server", "of-sentinel"))
    assert "a.example:1" in place.shown


def test_tls_may_name_a_ca() -> None:
    place = redis_place("rediss+sentinel://a.example/floor?ca=/etc/ca.crt", {})
    assert (place.tls, place.ca) == (True, "/etc/ca.crt")


@pytest.mark.parametrize("url", [SENTINELS, "redis://a.example/0", "rediss://a.example/0"])
def test_store_takes_the_url(url: str) -> None:
    assert unknown_store(url) is None
    assert is_shared(url)
    assert kind_of(url) == "redis"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis+sentinel://a.example:1", "ends with the name of the service"),
        ("redis+sentinel://a.example:1/", "ends with the name of the service"),
        ("redis+sentinel://a.example:1/one/two", "ends with the name of the service"),
        ("redis+sentinel://a.example:1,/floor", "names a host"),
        ("redis+sentinel://a.example:port/floor", "port of the Redis URL is not a number"),
        ("redis://a.example:port/0", "port of the Redis URL is not a number"),
        ("redis:///0", "names a host"),
        ("redis+sentinel://a.example/floor?db=x", "db=x is not a number"),
        ("redis://a.example/0?db=1", "unknown option 'db'"),
        ("redis://a.example/0?replicas=-1", "replicas=-1 is not a number"),
        ("redis+sentinel://a.example/floor?ca=/x", "begins with rediss"),
        ("redis+sentinel://a.example/floor?prefix=a:b", "cannot begin a key"),
        ("redis+sentinel://a.example/floor?password=x", "unknown option 'password'"),
    ],
)
def test_bad_url_is_refused_with_its_reason(url: str, why: str) -> None:
    with pytest.raises(BadPlaceError, match=why):
        redis_place(url, {})
    said = unknown_store(url)
    assert said is not None
    assert why in said
