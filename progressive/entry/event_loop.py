"""The loop that everything of the service runs on."""

from progressive.live.event_loop import run

__all__ = ["run"]
