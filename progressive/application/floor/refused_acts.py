"""What a person wanted who was refused, in a few words: which report, which gaming day."""

import re
from typing import Final

from progressive.application.people.act_log import ActRecord
from progressive.domain.happenings import signed_in

_REPORT: Final = re.compile(r"GET /v1/reports/([\w-]{1,40})", re.ASCII)
_DAY: Final = re.compile(r"\w+ /v1/days/([\w-]{1,40})/(\d{4}-\d\d-\d\d)\b.*", re.ASCII)


def what_was_asked(act: ActRecord, code: str) -> str:
    """Empty where the act says it all; and of strangers, who could ask for anything: their many
    requests are counted as one."""
    if not signed_in(act.who, act.act, code):
        return ""
    if "day" in act.details and "link" in act.details:
        return f"gaming day {act.details['day']} of {act.details['link']}"
    request = str(act.details.get("request", ""))
    if (report := _REPORT.fullmatch(request)) is not None:
        return f"report {report[1]}"
    if (day := _DAY.fullmatch(request)) is not None:
        return f"gaming day {day[2]} of {day[1]}"
    return ""
