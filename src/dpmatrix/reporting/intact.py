"""Whether the modules that statements compute with are still what was imported."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

_GONE = object()


class Modules:
    """What the names of some modules stood for when this was made.

    Parameters
    ----------
    packages
        Dotted names; the modules of that name and below that are imported now are watched.
    """

    def __init__(self, packages: Iterable[str]) -> None:
        wanted = tuple(packages)
        self._first: dict[str, Mapping[str, object]] = {
            name: dict(vars(module))
            for name, module in sorted(sys.modules.items())
            if any(f"{name}.".startswith(f"{package}.") for package in wanted)
        }

    def replaced(self) -> tuple[str, ...]:
        """Return the dotted names that stand for something else than at first, or for nothing any more."""
        found: list[str] = []
        for module, first in self._first.items():
            now = vars(sys.modules[module]) if module in sys.modules else {}
            found += [f"{module}.{name}" for name, value in first.items() if now.get(name, _GONE) is not value]
        return tuple(found)
