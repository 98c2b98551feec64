"""How many files a process may have open: every connection is one."""

import logging
import resource
from typing import Final

log = logging.getLogger(__name__)

FILES_MAX: Final = 1_048_576
"""More than this is never asked for: some systems set no end at all."""


def raise_file_limit() -> int:
    """Raise the soft limit to the hard one; how many files may be open now.

    The soft limit of most systems, 1,024, is for programs that use `select`; this one does not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError) as error:
            log.warning("the limit of open files cannot be raised", extra={"why": str(error)})
            return soft
        log.info("limit of open files raised", extra={"files": wanted, "before": soft})
        return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
