"""Notebooks as Jupyter reads them: JSON of nbformat 4.5, written without its library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

FORMAT, MINOR = 4, 5
"""Of nbformat; cells have ids from 4.5 on."""


@frozen
class Cell:
    """A cell of a notebook.

    Attributes
    ----------
    source
        Its text.
    code
        Whether it is code, or Markdown.
    about
        What the cell is about, for programs: kept in its metadata.
    """

    source: str
    code: bool = False
    about: dict[str, str] = field(factory=dict)

    def to_json(self, place: int) -> dict[str, Any]:
        """Return the cell, not run, as nbformat has it."""
        found: dict[str, Any] = {
            "cell_type": "code" if self.code else "markdown",
            "id": f"cell-{place}",
            "metadata": {"dpmatrix": self.about} if self.about else {},
            "source": self.source.splitlines(keepends=True),
        }
        return found | ({"execution_count": None, "outputs": []} if self.code else {})


def notebook_text(cells: Sequence[Cell]) -> str:
    """Return the text of a notebook file."""
    content = {
        "cells": [cell.to_json(place) for place, cell in enumerate(cells, start=1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": FORMAT,
        "nbformat_minor": MINOR,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
