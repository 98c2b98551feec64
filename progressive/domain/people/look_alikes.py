"""Names that look alike: `Ann` in Latin letters beside `Аnn` with a Cyrillic one.

Two accounts of one person, or two departments, must not be made of one spelling. The table is our
own and short: letters that a reader takes for Latin ones, small or capital (a name is compared
without regard to case), and the signs that are mixed up in most typefaces. It is not a proof:
people who look for other letters will find some.
"""

from typing import Final

from progressive.domain.people.names import name_key

_ALIKE: Final = str.maketrans(
    {
        # Cyrillic
        **dict(zip("авекмнорстухь", "abekmhopctyxb", strict=True)),
        **dict(zip("ѕіјһԁԛԝ", "sljhdqw", strict=True)),
        # Greek
        **dict(zip("αβγεζηικμνορτυχω", "abyezhlkmvoptyxw", strict=True)),
        # Latin letters and signs that most typefaces hardly tell apart
        **dict(zip("ɑɡıi1|!0", "aglllllo", strict=True)),
    }
)


def look_of(name: str) -> str:
    """What two names that look alike have in common."""
    return name_key(name).translate(_ALIKE)


def looks_like_another(name: str, other: str) -> bool:
    """Whether two different names can be taken for each other."""
    return name_key(name) != name_key(other) and look_of(name) == look_of(other)
