"""Why something cannot be read, where that says nothing about the records themselves."""


class StoreUnavailableError(Exception):
    """A file is not there, may not be read, or there is no room for its copy."""


class ChangedMeanwhileError(StoreUnavailableError):
    """A file that nobody had open was written while it was read: what was read means nothing."""


class NotReadableHereError(Exception):
    """What lies at a path is nothing that this program reads: bad input, not damage."""
