"""Which logs a witness follows, and by which keys it knows them."""

from collections.abc import Sequence

from progressive.application.seals.note import SIGNATURE, NoteError, VerifierKey


class TrustedLogs:
    """The keys of logs. One of `NAME` is good for the origins `NAME` and `NAME/anything`.

    So one key of a casino covers all its links, each of which is a log of its own. A name that is
    part of another one's does not: the longest name that fits is the one whose keys count.
    """

    def __init__(self, keys: Sequence[VerifierKey]) -> None:
        if not keys:
            raise NoteError("no log is named")
        for key in keys:
            if key.kind != SIGNATURE:
                raise NoteError(f"the key of {key.name} is a witness's, not a log's")
        self.keys = tuple(keys)
        self._by_name: dict[str, tuple[VerifierKey, ...]] = {}
        for key in dict.fromkeys(keys):
            self._by_name[key.name] = (*self._by_name.get(key.name, ()), key)

    def name_of(self, origin: str) -> str | None:
        """The name under which an origin is trusted; None: it is not known here."""
        name = origin
        while name not in self._by_name:
            name, slash, _ = name.rpartition("/")
            if not slash:
                return None
        return name

    def keys_of(self, origin: str) -> tuple[VerifierKey, ...]:
        """The keys that may sign for an origin: each with the id that it has under that name."""
        name = self.name_of(origin)
        if name is None:
            return ()
        try:
            return tuple([key.named(origin) for key in self._by_name[name]])
        except NoteError:
            # No key can bear this name, so nobody can have signed for it.
            return ()
