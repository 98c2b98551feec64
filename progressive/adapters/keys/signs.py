"""Keys of signs and relays. A sign for which one was issued is spoken for only by who shows it."""

from pathlib import Path
from typing import Final

from progressive.adapters.keys.held import HeldKeys

SIGN_FOLDER: Final = "sign-keys"
RELAY_FOLDER: Final = "relay-keys"
SIGN_PREFIX: Final = "psk_"
RELAY_PREFIX: Final = "prk_"


class SignKeys(HeldKeys):
    """The keys of a floor's signs: most have none."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, folder=SIGN_FOLDER, prefix=SIGN_PREFIX, kind="sign")

    def issue(self, sign: str) -> str:
        """A new key; it replaces the sign's former one."""
        return self.issue_to(sign, holder="sign")

    def keyed(self, sign: str) -> bool:
        """Whether a key was issued. One whose file is damaged counts: nothing fits it, and a sign
        must not become anybody's because a disk forgot a few bytes."""
        return sign in self.versions()


class RelayKeys(HeldKeys):
    """The keys of relays, which speak for many signs."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, folder=RELAY_FOLDER, prefix=RELAY_PREFIX, kind="relay")

    def issue(self, relay: str) -> str:
        """A new key; it replaces the relay's former one."""
        return self.issue_to(relay, holder="relay")
