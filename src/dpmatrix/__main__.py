"""The command line: ``python -m dpmatrix``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer

LOOK_UPS = ("claims", "findings", "sentences")
"""Commands that only read the specification: they start without the mechanisms and their numerical libraries."""


def main() -> None:
    """Run the command line."""
    first = sys.argv[1] if len(sys.argv) > 1 else None
    if first in LOOK_UPS:
        from dpmatrix.commands.look_ups import look_ups as started
    elif first == "audit":
        from dpmatrix.commands.audit import alone as started
    else:
        from dpmatrix.commands.line import app as started
    started()


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the whole command line, for who imports it from here
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dpmatrix.commands.line import app

    whole: typer.Typer = app
    return whole


if __name__ == "__main__":
    main()
