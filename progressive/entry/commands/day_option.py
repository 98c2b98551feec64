"""A calendar day on the command line."""

from typing import Final

import click

from progressive.domain.decide.days import is_day


class Day(click.ParamType[str]):
    """A calendar day like `2026-11-17`."""

    name = "DAY"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The day, or a usage error."""
        text = str(value)
        if not is_day(text):
            self.fail(f"{text!r} is not a day like 2026-11-17", param, ctx)
        return text


DAY: Final = Day()
