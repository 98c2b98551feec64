"""An amount as people read it: the domain's one text, for those who see the protocol only.

`display/` may not import the domain; its LED signs write amounts as the service does.
"""

from progressive.domain.money import money_text

__all__ = ["money_text"]
