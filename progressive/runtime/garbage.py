"""The garbage collector of a busy server."""

import gc


def spare_the_collector() -> None:
    """A tenth of the processor goes to the garbage collector of a busy service otherwise.

    What exists after the start lives as long as the process, and hardly anything made later forms
    cycles: look at the new objects now and then, at the old ones never.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
