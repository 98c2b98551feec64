"""What was found, as one JSON object for machines."""

import json
from dataclasses import fields, is_dataclass
from typing import Any


def encoded(result: object) -> str:
    """One line."""
    return json.dumps(plain(result), ensure_ascii=False, separators=(",", ":"))


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever a report holds
    """A value as JSON has it; what is a record says its type, as records do."""
    if is_dataclass(value) and not isinstance(value, type):
        kind = getattr(value, "TYPE", None)
        tag = {} if kind is None else {"type": kind}
        return tag | {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    return value
