"""Work that a released version left unfinished is finished by today's program.

The same people with the same passwords, the same tables with the same keys; numbers go on without
a gap, and what comes of it is verified.
"""

import json
from pathlib import Path

import pytest

from tests.upgrades.cast import hire
from tests.upgrades.clients import Feed, People, Table, a_wager, sevens
from tests.upgrades.program import Finished, Json
from tests.upgrades.recording import AUDITOR, reading, shown, verified
from tests.upgrades.stored import Stored
from tests.upgrades.today import Upgraded, assert_answers_repeat

pytestmark = pytest.mark.slow

RECORDS_OF_A_FIRST_START = 1
"""Version 0.1.0 did not record the floor and the policy of the house."""
RECORDS_OF_A_STOP = 1
"""The checkpoint."""


def link_of(report: Json, link: str) -> Json:
    return next(each for each in report["links"] if each["link"] == link)


def award_of(stored: Stored, round_id: str, place: int = 0) -> str:
    """The award of a round, of those that are not paid from the rack."""
    awards = [each for each in stored["shown"]["awards"] if each["round"] == round_id]
    return str(sorted(awards, key=lambda each: each["award"])[place]["award"])


async def settled_by_nobody(table: Table) -> Json:
    """The open round, which nobody won."""
    round_id = table.welcome["round"]["round"]
    return await table.send("settle", round_id, dealer={"cards": []}, seats=[], complete=False)


async def test_rounds_go_on_and_numbers_have_no_gap(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/plain", tmp_path / "stored")
    stored = upgraded.stored
    before = link_of(stored["verified"], "main")
    with upgraded.served() as service:
        async with Table.connect(upgraded.url, "BJ-01", stored["keys"]["BJ-01"]) as table:
            expected_seq = stored["shown"]["tables"]["BJ-01"]["next_seq"]
            locked = await table.lock("after-the-upgrade", *sevens(1, 2))
            seq = before["records"] + RECORDS_OF_A_FIRST_START + 1
            assert (locked["seq"], locked["journal_seq"]) == (expected_seq, seq)
            # Two wagers of $5 at 12.3457, 6.0001 and 4.0003 percent.
            amounts = {each["id"]: each["primary_microcents"] for each in before["meters"]}
            rises = {"mega": 123_457_000, "major": 60_001_000, "minor": 40_003_000}
            assert locked["meters"] == [
                {"id": meter, "cents": (amounts[meter] + rise) // 10**6}
                for meter, rise in rises.items()
            ]
            assert (await table.settle("after-the-upgrade", "6c", {}))["awards"] == []
        assert service.stop() == 0
    after = link_of(verified(upgraded.program, upgraded.data), "main")
    assert after["rounds"] == before["rounds"] + 1
    came = RECORDS_OF_A_FIRST_START + 2 + RECORDS_OF_A_STOP
    assert after["records"] == before["records"] + came


async def test_floor_that_nobody_wagered_on_may_be_changed_by_its_owner_alone(
    tmp_path: Path,
) -> None:
    upgraded = Upgraded("0.1.0/opened", tmp_path / "stored")
    floor = upgraded.stored.floor.read_text("utf-8")
    other = tmp_path / "floor.toml"
    other.write_text(floor.replace("initial_cents = 500000", "initial_cents = 600000"), "utf-8")
    with upgraded.program.serve(other, upgraded.data) as service:
        key = upgraded.stored["keys"]["BJ-01"]
        async with Table.connect(service.url, "BJ-01", key) as table:
            assert table.welcome["state"] == "live"
            await assert_answers_repeat(table, upgraded.stored)
            # $6,000 from the house, and 20 percent of two wagers of $5.
            locked = await table.lock("first-wagers", *sevens(1, 2))
            assert locked["meters"] == [{"id": "progressive", "cents": 600_200}]
        assert service.stop() == 0
    main = link_of(verified(upgraded.program, upgraded.data), "main")
    assert (main["rounds"], main["wagers"]) == (2, 2)


async def test_open_round_is_settled_by_the_terms_it_was_locked_under(tmp_path: Path) -> None:
    """Locked by the old program before its floor file changed; two 7s pay, and the dealer busts."""
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    with upgraded.served() as service:
        key = upgraded.stored["keys"]["BJ-02"]
        async with Table.connect(upgraded.url, "BJ-02", key) as table:
            assert len(table.welcome["round"]["wagers"]) == 3
            seats = [
                {"seat": 2, "cards": ["7c", "7h", "5c"]},
                {"seat": 6, "cards": ["Ts", "9h"]},
            ]
            dealer = {"cards": ["6c", "4d", "5h", "Ks"]}
            settled = await table.send("settle", "BJ-02-open", dealer=dealer, seats=seats)
        assert service.stop() == 0
    lines = {each["line"]: each["amount_cents"] for each in settled["awards"]}
    assert lines == {"two_7": 12_500, "bust_4": 2_000}
    verified(upgraded.program, upgraded.data)


async def test_round_settled_early_pays_only_what_comes_on_top(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    with upgraded.served() as service:
        key = upgraded.stored["keys"]["BJ-03"]
        async with Table.connect(upgraded.url, "BJ-03", key) as table:
            seats = [{"seat": 3, "cards": ["7d", "7h", "7d"]}]
            dealer = {"cards": ["Ks", "9h"]}
            settled = await table.send(
                "settle", "early-open", dealer=dealer, seats=seats, complete=False
            )
        assert service.stop() == 0
    (award,) = settled["awards"]
    # Two 7s at 25 for 1, paid from the rack before the peek.
    assert (award["meter"], award["paid_before_cents"]) == ("minor", 12_500)
    assert award["due_cents"] == award["amount_cents"] - 12_500
    verified(upgraded.program, upgraded.data)


async def test_dealer_who_signed_on_before_is_named_and_the_next_sign_on_numbered(
    tmp_path: Path,
) -> None:
    """Version 0.1.0 saved who deals at BJ-01, and not by which record Dora signed on."""
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    stored = upgraded.stored
    with upgraded.served() as service:
        async with (
            Table.connect(upgraded.url, "BJ-01", stored["keys"]["BJ-01"]) as table,
            People.at(upgraded.url) as people,
        ):
            for name in ("Zoë", AUDITOR):
                await people.log_in(name, stored["password"])
            settled, signed_on = [], {}
            for round_id in ("dealt-by-dora", "dealt-by-zoë"):
                await table.lock(round_id, *sevens(1))
                settled.append(await table.settle(round_id, "6c", {1: ["7d", "7h", "7d"]}))
                if not signed_on:
                    signed_on = await people.do("Zoë", "/v1/tables/BJ-01/dealer")
            sheets = [
                await people.read(AUDITOR, f"/v1/awards/{each['awards'][0]['award']}/sheet")
                for each in settled
            ]
            shown = (await people.read(AUDITOR, "/v1/awards"))["awards"]
        assert service.stop() == 0
    assert [each["sheet"]["dealt_by"]["name"] for each in sheets] == ["Dora", "Zoë"]
    assert [each["sheet"]["dealt_seq"] for each in sheets] == [0, signed_on["journal_seq"]]
    dealt = {each["round"]: each["dealt_by"]["name"] for each in shown if each["dealt_by"]}
    assert (dealt["dealt-by-dora"], dealt["dealt-by-zoë"]) == ("Dora", "Zoë")
    exported = upgraded.program.output("export", "--data", upgraded.data, "--link", "main")
    records = [json.loads(line)["event"] for line in exported.splitlines()]
    first, second = [records[each["journal_seq"] - 1] for each in settled]
    assert ("dealt_seq" in first, first["dealt_by"]["name"]) == (False, "Dora")
    assert ("dealt_by" in second, second["dealt_seq"]) == (False, signed_on["journal_seq"])
    verified(upgraded.program, upgraded.data)


async def test_awards_are_validated_approved_paid_and_voided_by_the_same_people(
    tmp_path: Path,
) -> None:
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    stored = upgraded.stored
    before = link_of(stored["verified"], "main")["awards"]
    owed = award_of(stored, "two-megas", place=1)
    hire(upgraded.program, upgraded.data, "Amy")
    with upgraded.served() as service:
        async with People.at(upgraded.url) as people:
            for name in ("Ann", "Sue", "Bob", "Pat", "Eve", "Amy", AUDITOR):
                await people.log_in(name, stored["password"])

            async def step(who: str, award: str, what: str, status: int = 200) -> Json:
                found, answer = await people.ask(who, "POST", f"/v1/awards/{award}/{what}", {})
                assert found == status, (what, answer)
                return dict(answer)

            # Settled again behind a voided claim: all of the meter, so two must approve.
            await step("Ann", owed, "validate")
            assert (await step("Bob", owed, "pay", 409))["error"]["code"] == "NEEDS_APPROVAL"
            await step("Pat", owed, "approve")
            # An administrator signs for no money any more.
            assert (await step("Eve", owed, "approve", 403))["error"]["code"] == "WRONG_ROLE"
            # Neither does an account made at the machine, until somebody has confirmed it.
            refused = await step("Amy", owed, "approve", 403)
            assert refused["error"]["code"] == "UNCONFIRMED"
            await people.do("Eve", "/v1/users/Amy/confirm")
            await step("Amy", owed, "approve")
            paid = [(await step("Bob", owed, "pay"))["award"]["document"]]
            for round_id in ("major-validated", "mega-approved"):
                award = award_of(stored, round_id)
                paid.append((await step("Bob", award, "pay"))["award"]["document"])
            assert before["documents"] == 2
            assert paid == ["main-P000003", "main-P000004", "main-P000005"]
            # A manual number that was used stays used.
            award = award_of(stored, "minor-void-withdrawn")
            await step("Ann", award, "validate")
            path = f"/v1/awards/{award}/pay"
            for document in ("JP-77", "jp-77", "MAIN-p000009"):
                _, answer = await people.ask("Bob", "POST", path, {"document": document})
                assert answer["error"]["code"] == "DOCUMENT_USED", document
            # Ann proposed it; she is one person, Sue is the second.
            award = award_of(stored, "minor-void-proposed")
            assert (await step("Ann", award, "void/approve", 403))["error"]["code"] == "SAME_PERSON"
            assert (await step("Sue", award, "void/approve"))["award"]["status"] == "void"
        assert service.stop() == 0
    after = link_of(verified(upgraded.program, upgraded.data), "main")["awards"]
    assert (after["paid"], after["void"]) == (before["paid"] + 3, before["void"] + 1)
    assert after["documents"] == before["documents"] + 3


async def test_waiting_correction_is_approved_by_another_department(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    stored = upgraded.stored
    (waiting,) = stored["shown"]["corrections"]["main"]
    with upgraded.served() as service:
        async with People.at(upgraded.url) as people:
            for name in ("Pat", "Bob", AUDITOR):
                await people.log_in(name, stored["password"])
            path = f"/v1/corrections/{waiting['correction']}/approve"
            assert (await people.ask("Pat", "POST", path, {}))[0] == 403
            await people.do("Bob", path)
            mega = (await shown(people))["meters"]["main"][0]
        assert service.stop() == 0
    was = stored["shown"]["meters"]["main"][0]
    assert mega["reset_microcents"] == was["reset_microcents"] + 250 * 10**6
    verified(upgraded.program, upgraded.data)


async def test_terms_that_one_approved_before_hold_more_now_and_are_approved_by_two(
    tmp_path: Path,
) -> None:
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    stored = upgraded.stored

    def approve(name: str) -> Finished:
        where = ("--server", upgraded.url, "--user", name)
        return upgraded.program.run(
            "approve", "lounge", "--reason", "agreed", *where, given=stored["password"]
        )

    who = ("Cleo", "--role", "compliance", "--department", "compliance")
    upgraded.program.run(
        "user", "add", *who, "--data", str(upgraded.data), given=stored["password"]
    )
    with upgraded.served() as service:
        async with People.at(upgraded.url) as people:
            await people.log_in("Eve", stored["password"])
            await people.do("Eve", "/v1/users/Cleo/confirm")
        # Neither finance nor an administrator signs for terms any more. What Pat approved then did
        # not hold the policy of the house: it counts for what it was, and not for more.
        assert approve("Pat").returncode != 0
        assert approve("Eve").returncode != 0
        assert approve("Ann").returncode == 1
        assert approve("Cleo").returncode == 0
        key = stored["keys"]["LG-01"]
        async with Table.connect(upgraded.url, "LG-01", key) as table:
            await assert_answers_repeat(table, stored)
            # What the former terms would refuse: they took $100 at the most.
            await table.lock("new-terms", a_wager(1, "buster", 20_000, base_cents=20_000))
        assert service.stop() == 0
    lounge = link_of(verified(upgraded.program, upgraded.data), "lounge")
    assert lounge["open"] == 1


async def test_alarm_that_nobody_had_acknowledged_is_acknowledged(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    stored = upgraded.stored
    for_the_journal = [each for each in stored["shown"]["alarms"] if each["link"] == "high"]
    (alarm,) = for_the_journal
    before = link_of(stored["verified"], "high")["records"]
    with upgraded.served() as service:
        async with People.at(upgraded.url, dict(stored["tokens"])) as people:
            path = f"/v1/alarms/{alarm['alarm']}/acknowledge"
            await people.do("Sue", path, {"note": "looked into it"})
            left = (await people.read(AUDITOR, "/v1/alarms"))["alarms"]
        assert service.stop() == 0
    assert alarm["alarm"] not in [each["alarm"] for each in left]
    after = verified(upgraded.program, upgraded.data)
    assert link_of(after, "high")["records"] == (
        before + RECORDS_OF_A_FIRST_START + 1 + RECORDS_OF_A_STOP
    )


async def test_killed_service_lost_nothing_that_it_had_answered(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/killed", tmp_path / "stored")
    stored = upgraded.stored
    for file in ("journal.sqlite3-wal", "signs.sqlite3-wal", "people.sqlite3-journal"):
        assert (upgraded.data / file).stat().st_size > 0, file
    before = stored["verified"]
    with upgraded.served() as service:
        async with Table.connect(upgraded.url, "BJ-01", stored["keys"]["BJ-01"]) as table:
            assert table.welcome["round"]["round"] == "killed-open"
            await assert_answers_repeat(table, stored)
            answer = await settled_by_nobody(table)
            records = link_of(before, "main")["records"] + RECORDS_OF_A_FIRST_START
            assert answer["journal_seq"] == records + 1
        async with People.at(upgraded.url) as people:
            await people.log_in("Ann", stored["password"])
            await people.log_in("Bob", stored["password"])
            award = award_of(stored, "killed-1")
            await people.do("Ann", f"/v1/awards/{award}/validate")
            paid = await people.do("Bob", f"/v1/awards/{award}/pay")
            assert paid["award"]["document"] == "main-P000001"
        assert service.stop() == 0
    after = verified(upgraded.program, upgraded.data)
    # Two log-ins and two steps, after the last record that was whole.
    assert after["acts"]["records"] == before["acts"]["records"] + 4
    assert link_of(after, "main")["open"] == 0


async def test_sign_log_goes_on_behind_a_killed_service(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/killed", tmp_path / "stored")
    stored = upgraded.stored
    with upgraded.served() as service:
        async with Feed.connect(upgraded.url, "main", sign="entrance") as sign:
            await sign.show()
        assert service.stop() == 0
    for asked in stored["readings"]:
        assert reading(upgraded.program, upgraded.data, asked) == asked["answer"]
    times = ("--from", "2026-01-01T00:00:00Z", "--to", "9999-01-01T00:00:00Z")
    where = ("--data", upgraded.data, "--json")
    listed = json.loads(upgraded.program.output("sign-log", "entrance", *times, *where))
    kinds = [each["kind"] for each in listed["entries"]]
    # A life that was stopped, one that was killed, and this one.
    assert [kind for kind in kinds if kind != "showing"] == [
        *("connected", "gone"),
        *("connected", "cut"),
        *("connected", "gone"),
    ]


async def test_open_round_of_every_game_is_settled(tmp_path: Path) -> None:
    """The cards that won the round before win the same lines, in the same order."""
    upgraded = Upgraded("0.1.0/other-games", tmp_path / "stored")
    stored = upgraded.stored
    won = {
        each["table"]: each for each in stored["messages"] if each["message"]["type"] == "settle"
    }
    assert len(won) == 4
    refused = upgraded.program.run("check", stored.floor)
    assert refused.returncode == 2
    assert "link.colma.bet.buster.game: ca-101-blackjack-x is banked by a player" in refused.stdout
    with upgraded.served() as service:
        for table, then in won.items():
            cards = {name: then["message"][name] for name in ("dealer", "seats")}
            complete = then["message"].get("complete", True)
            async with Table.connect(upgraded.url, table, stored["keys"][table]) as client:
                settled = await client.send("settle", "open", **cards, complete=complete)
            lines = [(each["seat"], each["line"]) for each in settled["awards"]]
            assert lines
            assert lines == [(each["seat"], each["line"]) for each in then["answer"]["awards"]]
        assert service.stop() == 0
    assert all(each["open"] == 0 for each in verified(upgraded.program, upgraded.data)["links"])
