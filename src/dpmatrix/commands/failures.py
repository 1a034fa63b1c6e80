"""Errors as one line, and as an exit code."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from dpmatrix.errors import DpmatrixError

Parameters = ParamSpec("Parameters")


def one_line(command: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Let a command leave with the exit code 2 and one line where it is used wrongly."""

    @wraps(command)
    def guarded(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        try:
            command(*arguments, **options)
        except (DpmatrixError, OSError) as error:
            typer.echo(f"{type(error).__name__}: {error}", err=True)
            raise typer.Exit(2) from error

    return guarded
