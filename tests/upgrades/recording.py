"""What a version of the program answered about a data directory: `expected.json` beside it.

All of it is asked of that very version, on copies, so that the directory stays as it was left.
"""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.upgrades.clients import People, Table
from tests.upgrades.program import Json, Program
from tests.upgrades.stored import ARCHIVE, DATA, EXPECTED, FLOOR, pack

PASSWORD = "only for these tests"
AUDITOR = "Joe"
OF_AN_AWARD = (
    *("award", "table", "round", "seat", "line", "status", "amount_cents", "bonus_cents"),
    *("paid_before_cents", "due_cents", "tax_form", "dealt_by", "validated_by", "approvers"),
    *("approved_by", "void_proposed_by", "void_reason", "voided_by", "document"),
    *("manual_document", "at"),
)
"""What an award must still be after an upgrade."""
OF_AN_ALARM = ("alarm", "kind", "subject", "link", "at", "last_at", "count")
"""Its message is for people, and may be put in other words."""


class Recording:
    """Filled while a directory is made; `finish` asks for the rest."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        """Of tables, signs and relays, by name. They open nothing but these directories."""
        self.tokens: dict[str, str] = {}
        """Of the sessions that were left open."""
        self.messages: list[Json] = []
        """Every message of a table, and its answer."""
        self.panel_messages: list[Json] = []
        self.requests: list[Json] = []
        """Every change that a person made under an idempotency key, and its answer."""
        self.readings: list[Json] = []
        """Signs and moments."""
        self.log_ins: list[Json] = []
        """Who is refused at the moment after, and with which password."""

    async def finish(self, program: Program, made: Path, out: Path) -> None:
        """Copy what was made to its place, and write down what the program says of it."""
        expected: dict[str, Any] = {
            "made_with": program.output("--version"),
            "moment": text_of(datetime.now(UTC)),
            "password": PASSWORD,
            "keys": self.keys,
            "tokens": self.tokens,
            "refused_log_ins": self.log_ins,
            "messages": self.messages,
            "panel_messages": self.panel_messages,
            "requests": self.requests,
        }
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(made, copy)
            expected["readings"] = [
                {**each, "answer": reading(program, copy / DATA, each)} for each in self.readings
            ]
            expected["verified"] = verified(program, copy / DATA)
            expected["shown"] = await self._shown(program, copy)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made, out, ignore=_only_the_floor)
        pack(made / DATA, out / ARCHIVE)
        (out / EXPECTED).write_text(_one_thing_a_line(expected), "utf-8")

    async def _shown(self, program: Program, copy: Path) -> Json:
        with program.serve(copy / FLOOR, copy / DATA) as service:
            async with People.at(service.url, self.tokens) as people:
                found = await shown(people)
            tables = {}
            for table in sorted(key for key in self.keys if key in found["tables"]):
                async with Table.connect(service.url, table, self.keys[table]) as client:
                    tables[table] = {name: client.welcome[name] for name in ("next_seq", "round")}
            service.stop()
        return {**found, "tables": tables}


async def shown(people: People) -> Json:
    """What the service shows of every link, to everybody or to an auditor."""
    public = await people.read_public("/v1/links")
    found: Json = {
        "links": {
            link["id"]: {name: link[name] for name in ("state", "meters")}
            for link in public["links"]
        },
        "tables": [table for link in public["links"] for table in _ids(link["tables"])],
    }
    if AUDITOR in people.tokens:
        found["meters"] = {
            link: (await people.read(AUDITOR, f"/v1/links/{link}/meters"))["meters"]
            for link in found["links"]
        }
        awards = (await people.read(AUDITOR, "/v1/awards"))["awards"]
        found["awards"] = [{name: each[name] for name in OF_AN_AWARD} for each in awards]
        found["corrections"] = {
            link: (await people.read(AUDITOR, f"/v1/links/{link}/corrections"))["corrections"]
            for link in found["links"]
        }
        alarms = (await people.read(AUDITOR, "/v1/alarms"))["alarms"]
        # What is wrong at present is found out again by whoever runs; what happened is stored.
        found["alarms"] = [
            {name: each[name] for name in OF_AN_ALARM} for each in alarms if each["over"]
        ]
    return found


def verified(program: Program, data: Path) -> Json:
    """The report of `progressive verify`, which must find nothing."""
    report: Json = json.loads(program.output("verify", "--data", data, "--json"))
    return report


def reading(program: Program, data: Path, asked: Json) -> Json:
    """What a sign read at a moment."""
    where = ("--at", asked["at"], "--data", data, "--json")
    answer: Json = json.loads(program.output("sign-log", asked["sign"], *where))
    return answer


def text_of(at: datetime) -> str:
    """RFC 3339 UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_after(moment: str, seconds: float) -> str:
    """So much later."""
    return text_of(datetime.fromisoformat(moment) + timedelta(seconds=seconds))


def _only_the_floor(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == DATA or name.endswith(".log")]


def _ids(tables: list[Any]) -> list[str]:
    return [table["id"] if isinstance(table, dict) else table for table in tables]


def _one_thing_a_line(expected: Json) -> str:
    """JSON that a reviewer can read and a diff can follow."""
    parts = []
    for name, value in expected.items():
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(f"  {_text(each)}" for each in value) + "\n ]"
        elif isinstance(value, dict) and value:
            rows = (f"  {_text(key)}: {_text(each)}" for key, each in value.items())
            text = "{\n" + ",\n".join(rows) + "\n }"
        else:
            text = _text(value)
        parts.append(f" {_text(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
