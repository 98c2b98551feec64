"""The Lua functions of the log, loaded on the server that is asked.

Names bear a hash of the code: two versions of this program can share a server during an upgrade,
and none runs the other's code.
"""

import hashlib
from importlib.resources import files
from typing import Final

_FILES: Final = ("link_log.lua", "people_log.lua", "keys.lua")
# A block each: what one file names, the next does not see.
_CODE: Final = "\n".join(
    [f"do\n{files(__package__).joinpath(name).read_text('utf-8')}\nend" for name in _FILES]
)
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
PEOPLE_APPEND: Final = f"people_append_{_VERSION}"
KEY_SET: Final = f"key_set_{_VERSION}"
