"""The Lua functions of the log, loaded on the server that is asked.

Names bear a hash of the code: two versions of this program can share a server during an upgrade,
and none runs the other's code.
"""

import hashlib
from importlib.resources import files
from typing import Final

_CODE: Final = files(__package__).joinpath("link_log.lua").read_text("utf-8")
_VERSION: Final = hashlib.sha256(_CODE.encode()).hexdigest()[:16]

LIBRARY: Final = f"progressive_{_VERSION}"
SOURCE: Final = f"#!lua name={LIBRARY}\n{_CODE.replace('VERSION', _VERSION)}"
OPEN: Final = f"open_{_VERSION}"
BEGIN: Final = f"begin_{_VERSION}"
APPEND: Final = f"append_{_VERSION}"
RENEW: Final = f"renew_{_VERSION}"
TRIM: Final = f"trim_{_VERSION}"
REPORT: Final = f"report_{_VERSION}"
RELEASE: Final = f"release_{_VERSION}"
