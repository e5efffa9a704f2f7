"""The sets of cases, and how many each has: a case that was never run is a failure."""

from typing import NamedTuple


class Set(NamedTuple):
    patterns: list[str]
    count: int


SMALL = (1, 2, 3, 4, 5, 11)  # of each compression section, the cases with messages up to 4 KiB

SETS = {
    "core": Set(["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*"], 247),
    "limits": Set(["9.*"], 54),
    "deflate": Set(
        [f"12.{section}.{case}" for section in range(1, 6) for case in SMALL]
        + [f"13.{section}.{case}" for section in range(1, 8) for case in SMALL],
        72,
    ),
    "full": Set(["*"], 517),
}
