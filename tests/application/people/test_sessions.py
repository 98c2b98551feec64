"""Log-ins, locks and the life of a session, on a real file with a clock that is turned."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.application.people.sessions import (
    FORGET_SECONDS,
    IDLE_SECONDS,
    SESSION_SECONDS,
    LoggedIn,
    LogInRefusal,
    NoSession,
    Session,
    Stranger,
    token_sha256,
)
from progressive.application.people.tries import (
    PLACE_TRIES,
    PLACE_TRY_SECONDS,
    STRANGERS_TRIES,
    STRANGERS_TRY_SECONDS,
    Lane,
)
from progressive.domain.people.names import name_key
from tests.support.fake_clock import FakeClock
from tests.support.people import ANN, BOB, HERE, PASSWORD, PeopleDesk, a_people_desk


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def desk(tmp_path: Path, clock: FakeClock) -> AsyncIterator[PeopleDesk]:
    async with a_people_desk(tmp_path, clock) as opened:
        await opened.add(ANN, BOB)
        yield opened


async def bad_tries(desk: PeopleDesk, number: int) -> None:
    for _ in range(number):
        refused = await desk.sessions.log_in("Ann", "not the password", where=HERE)
        assert refused is LogInRefusal.WRONG_PASSWORD


# --- logging in -------------------------------------------------------------------------------


async def test_a_log_in_gives_a_session_and_is_recorded(desk: PeopleDesk) -> None:
    opened = await desk.log_in(ANN)
    found = await desk.sessions.find(opened.token)

    assert isinstance(found, Session)
    assert found.person == ANN
    act = await desk.last_act()
    assert (act["who"], act["from"], act["act"], act["outcome"]) == ("Ann", HERE, "log_in", "done")


@pytest.mark.parametrize("name", ["ann", " ANN ", "Ａｎｎ"])
async def test_a_name_is_known_in_any_spelling(desk: PeopleDesk, name: str) -> None:
    assert isinstance(await desk.sessions.log_in(name, PASSWORD, where=HERE), LoggedIn)


async def test_a_password_typed_on_another_keyboard_fits(desk: PeopleDesk) -> None:
    await desk.people.set_password("Ann", "cafe\u0301 au lait, please", where=HERE)
    again = await desk.sessions.log_in("Ann", "caf\u00e9 au lait, please", where=HERE)
    assert isinstance(again, LoggedIn)


async def test_two_log_ins_are_two_sessions(desk: PeopleDesk) -> None:
    first, second = await desk.log_in(ANN), await desk.log_in(ANN)
    assert first.token != second.token
    found = await desk.sessions.find(first.token)
    assert isinstance(found, Session)
    await desk.sessions.log_out(found, where=HERE)
    assert isinstance(await desk.sessions.find(second.token), Session)


async def test_the_token_is_kept_nowhere(desk: PeopleDesk, tmp_path: Path) -> None:
    opened = await desk.log_in(ANN)
    kept = (tmp_path / "people.sqlite3").read_bytes()
    assert opened.token.encode() not in kept
    assert token_sha256(opened.token).encode() in kept
    assert PASSWORD.encode() not in kept


@pytest.mark.parametrize("name", ["Carol", "", "a\x00b", "\ud800", "x" * 1000])
async def test_an_unknown_name_is_refused_and_its_text_is_not_kept(
    desk: PeopleDesk, name: str
) -> None:
    refused = await desk.sessions.log_in(name, PASSWORD, where=HERE)
    assert refused is LogInRefusal.UNKNOWN_NAME
    act = await desk.last_act()
    assert (act["who"], act["outcome"]) == (None, "refused")
    assert act["details"] == {"code": "UNKNOWN_NAME"}


async def test_a_disabled_person_cannot_log_in(desk: PeopleDesk) -> None:
    await desk.people.disable("ann", where="command line")
    refused = await desk.sessions.log_in("Ann", PASSWORD, where=HERE)
    assert refused is LogInRefusal.DISABLED
    await desk.people.enable("ann", where="command line")
    await desk.log_in(ANN)


# --- locking ----------------------------------------------------------------------------------


async def test_after_five_bad_tries_from_a_place_one_in_three_minutes_is_taken(
    desk: PeopleDesk, clock: FakeClock
) -> None:
    await bad_tries(desk, PLACE_TRIES)
    assert await desk.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED
    clock.advance(PLACE_TRY_SECONDS - 1)
    assert await desk.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED
    clock.advance(1)
    await bad_tries(desk, 1)
    assert await desk.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED
    clock.advance(PLACE_TRY_SECONDS)
    await desk.log_in(ANN)


async def test_bad_tries_from_anywhere_never_keep_somebody_from_where_she_signed_in(
    desk: PeopleDesk,
) -> None:
    """The denial: whoever knew a supervisor's name could keep her out with five requests."""
    await desk.log_in(ANN)
    for number in range(3 * STRANGERS_TRIES):
        await desk.sessions.log_in("Ann", "guess", where=f"192.0.2.{number}")
    await desk.log_in(ANN)


async def test_behind_one_proxy_a_browser_she_signed_in_with_has_tries_of_its_own(
    desk: PeopleDesk,
) -> None:
    device = (await desk.log_in(ANN)).device
    await bad_tries(desk, PLACE_TRIES)
    assert await desk.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED
    again = await desk.sessions.log_in("Ann", PASSWORD, where=HERE, device=device)
    assert isinstance(again, LoggedIn)
    assert again.device == device
    # It is a lane of its own, not a way around all of them.
    for _ in range(PLACE_TRIES):
        await desk.sessions.log_in("Ann", "guess", where=HERE, device=device)
    refused = await desk.sessions.log_in("Ann", PASSWORD, where=HERE, device=device)
    assert refused is LogInRefusal.LOCKED


async def test_a_browser_of_one_person_is_nobody_elses(desk: PeopleDesk) -> None:
    device = (await desk.log_in(BOB)).device
    await bad_tries(desk, PLACE_TRIES)
    refused = await desk.sessions.log_in("Ann", PASSWORD, where=HERE, device=device)
    assert refused is LogInRefusal.LOCKED


@pytest.mark.slow
async def test_a_name_gets_few_tries_a_day_from_all_strangers_together(
    desk: PeopleDesk, clock: FakeClock
) -> None:
    async def looked_at(tries: int, network: str) -> int:
        judged = [
            await desk.sessions.log_in("Ann", "guess", where=f"{network}.{number}")
            for number in range(tries)
        ]
        return judged.count(LogInRefusal.WRONG_PASSWORD)

    assert await looked_at(100, "192.0.2") == STRANGERS_TRIES
    clock.advance(4 * STRANGERS_TRY_SECONDS)
    assert await looked_at(100, "198.51.100") == 4


@pytest.mark.slow
async def test_a_colleague_unlocks_and_her_place_is_known_from_then_on(desk: PeopleDesk) -> None:
    for number in range(STRANGERS_TRIES):
        await desk.sessions.log_in("Ann", "guess", where=f"192.0.2.{number}")
    assert await desk.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED
    await desk.people.unlock("Ann", where=HERE, by=BOB)
    for number in range(3 * STRANGERS_TRIES):
        await desk.sessions.log_in("Ann", "guess", where=f"198.51.100.{number}")
    await desk.log_in(ANN)


def test_a_clock_set_back_closes_no_lane() -> None:
    lane = Lane("address", PLACE_TRIES, PLACE_TRY_SECONDS)
    a_year_ahead, now = "2027-01-02T00:00:00.000000Z", "2026-01-02T00:00:00.000000Z"
    assert lane.after_try(a_year_ahead, now) == "2026-01-02T00:03:00.000000Z"
    slow = "2026-01-02T00:15:00.000000Z"
    assert lane.after_try(slow, now) is None


async def test_a_good_try_forgets_the_bad_ones(desk: PeopleDesk) -> None:
    for _ in range(3):
        await bad_tries(desk, PLACE_TRIES - 1)
        await desk.log_in(ANN)


async def test_a_lock_is_one_persons(desk: PeopleDesk) -> None:
    await bad_tries(desk, PLACE_TRIES)
    await desk.log_in(BOB)


async def test_a_new_password_unlocks(desk: PeopleDesk) -> None:
    await bad_tries(desk, PLACE_TRIES)
    await desk.people.set_password("Ann", PASSWORD, where="command line")
    await desk.log_in(ANN)


async def test_tries_at_one_moment_give_nobody_a_sixth_guess(desk: PeopleDesk) -> None:
    guesses = [desk.sessions.log_in("Ann", "guess", where=HERE) for _ in range(20)]
    judged = await asyncio.gather(*guesses)
    assert judged.count(LogInRefusal.WRONG_PASSWORD) == PLACE_TRIES
    assert judged.count(LogInRefusal.LOCKED) == 20 - PLACE_TRIES


async def test_good_tries_at_one_moment_lock_nobody_out(desk: PeopleDesk) -> None:
    opened = await asyncio.gather(*[desk.log_in(ANN) for _ in range(3 * PLACE_TRIES)])
    assert len({each.token for each in opened}) == 3 * PLACE_TRIES


async def test_a_lock_survives_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    async with a_people_desk(tmp_path, clock) as before:
        await before.add(ANN)
        await bad_tries(before, PLACE_TRIES)
    async with a_people_desk(tmp_path, clock) as after:
        assert await after.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED


# --- a crash between the steps of a log-in ----------------------------------------------------


async def test_a_crash_before_the_password_is_judged_counts_as_a_bad_try(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with a_people_desk(tmp_path, clock) as desk:
        await desk.add(ANN)
        lane = Lane(f"address {HERE}", PLACE_TRIES, PLACE_TRY_SECONDS)
        for _ in range(PLACE_TRIES):
            await desk.store.begin_try(name_key("Ann"), at=clock.now(), lanes=[lane])
    async with a_people_desk(tmp_path, clock) as desk:
        assert await desk.sessions.log_in("Ann", PASSWORD, where=HERE) is LogInRefusal.LOCKED


async def test_a_password_changed_while_it_is_judged_opens_nothing(
    desk: PeopleDesk, clock: FakeClock
) -> None:
    class Slow:
        """Judges while somebody sets another password."""

        async def hash(self, password: str) -> str:
            return await desk.passwords.hash(password)

        async def fits(self, password_hash: str | None, password: str) -> bool:
            fits = await desk.passwords.fits(password_hash, password)
            await desk.people.set_password("Ann", "another password", where="command line")
            return fits

    desk.sessions._passwords = Slow()
    refused = await desk.sessions.log_in("Ann", PASSWORD, where=HERE)
    assert refused is LogInRefusal.CHANGED_MEANWHILE


# --- the life of a session --------------------------------------------------------------------


async def test_an_idle_session_expires(desk: PeopleDesk, clock: FakeClock) -> None:
    opened = await desk.log_in(ANN)
    clock.advance(IDLE_SECONDS - 1)
    assert isinstance(await desk.sessions.find(opened.token), Session)
    clock.advance(IDLE_SECONDS)
    assert await desk.sessions.find(opened.token) == Stranger(NoSession.SESSION_EXPIRED, ANN)


@pytest.mark.slow
async def test_a_busy_session_expires_after_a_shift(desk: PeopleDesk, clock: FakeClock) -> None:
    opened = await desk.log_in(ANN)
    for _ in range(SESSION_SECONDS // 600 - 1):
        clock.advance(600)
        assert isinstance(await desk.sessions.find(opened.token), Session)
    clock.advance(600)
    assert await desk.sessions.find(opened.token) == Stranger(NoSession.SESSION_EXPIRED, ANN)


async def test_log_out_ends_the_session_and_is_recorded(desk: PeopleDesk) -> None:
    opened = await desk.log_in(ANN)
    found = await desk.sessions.find(opened.token)
    assert isinstance(found, Session)
    await desk.sessions.log_out(found, where=HERE)
    assert await desk.sessions.find(opened.token) == Stranger(NoSession.SESSION_ENDED, ANN)
    assert (await desk.last_act())["act"] == "log_out"


async def test_disabling_ends_live_sessions(desk: PeopleDesk) -> None:
    hers, his = await desk.log_in(ANN), await desk.log_in(BOB)
    await desk.people.disable("Ann", where="command line")
    found = await desk.sessions.find(hers.token)
    assert isinstance(found, Stranger)
    assert found.reason is NoSession.SESSION_ENDED
    assert isinstance(await desk.sessions.find(his.token), Session)
    # Enabled again, the old session stays dead.
    await desk.people.enable("Ann", where="command line")
    assert isinstance(await desk.sessions.find(hers.token), Stranger)


async def test_a_new_password_ends_live_sessions(desk: PeopleDesk) -> None:
    opened = await desk.log_in(ANN)
    await desk.people.set_password("Ann", PASSWORD, where="command line")
    assert await desk.sessions.find(opened.token) == Stranger(NoSession.SESSION_ENDED, ANN)


@pytest.mark.parametrize("token", ["", "pss_nonsense", "\udcff", "x" * 10_000])
async def test_a_token_nobody_issued_opens_nothing(desk: PeopleDesk, token: str) -> None:
    assert await desk.sessions.find(token) == Stranger(NoSession.NO_SESSION)


async def test_a_session_survives_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    async with a_people_desk(tmp_path, clock) as before:
        await before.add(ANN)
        opened = await before.log_in(ANN)
    async with a_people_desk(tmp_path, clock) as after:
        assert isinstance(await after.sessions.find(opened.token), Session)


async def test_sessions_that_ended_long_ago_are_dropped(desk: PeopleDesk, clock: FakeClock) -> None:
    opened = await desk.log_in(ANN)
    clock.advance(FORGET_SECONDS + 1)
    assert await desk.sessions.find(opened.token) == Stranger(NoSession.SESSION_EXPIRED, ANN)
    await desk.log_in(BOB)
    assert await desk.sessions.find(opened.token) == Stranger(NoSession.NO_SESSION)
