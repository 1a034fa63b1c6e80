"""Help texts: paragraphs that a terminal breaks at its own width."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer


def flowing(text: str) -> str:
    """Return a docstring with each of its paragraphs in one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


class Commands(typer.Typer):
    """Commands whose help is their docstring, in lines as long as the terminal is wide."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - those of typer
        """Add a command, as `typer.Typer` does."""

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            told = {"help": flowing(function.__doc__ or "")} | options
            return super(Commands, self).command(name, **told)(function)

        return add
