"""Who runs this process, by the operating system and not by an environment variable."""

import os
import pwd


def operating_user() -> str:
    """The user's name, or its number where it has none."""
    user = os.getuid()
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
