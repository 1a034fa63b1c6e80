"""Curves as SVG files that are the same, byte for byte, whenever they show the same."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import frozen

from dpmatrix.atomic_files import write_atomically
from dpmatrix.errors import MissingExtraError

METADATA = {"Date": None, "Creator": "dpmatrix"}
"""Of an SVG file: nothing that differs from one run to the next."""
_STYLE = {"svg.hashsalt": "dpmatrix", "svg.fonttype": "none", "font.family": "sans-serif"}
_LINES = ("-", "--", "-.", ":")


@contextmanager
def drawing_style() -> Iterator[Any]:
    """Give matplotlib's module of figures, under a style in which equal drawings are equal files.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        matplotlib, figures = import_module("matplotlib"), import_module("matplotlib.figure")
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error
    with matplotlib.rc_context(_STYLE):
        yield figures


@frozen
class Curve:
    """A curve, or a band where the upper values differ from the lower ones.

    Attributes
    ----------
    label
        For the legend; empty for none.
    places
        Abscissae.
    lower, upper
        Ordinates.
    """

    label: str
    places: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]


def write_svg(path: Path, title: str, across: str, along: str, curves: Sequence[Curve], *, logarithmic: bool) -> None:
    """Draw curves; values that are not positive are left out of a logarithmic axis.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    InvalidParameterError, OSError
        As `write_atomically`.
    """
    with drawing_style() as figures:
        figure = figures.Figure(figsize=(8, 6), layout="constrained")
        axes = figure.add_subplot()
        for index, curve in enumerate(curves):
            style, colour = _LINES[index // 10 % len(_LINES)], f"C{index % 10}"
            axes.plot(curve.places, curve.upper, style, color=colour, label=curve.label, marker=".", markersize=4)
            if list(curve.lower) != list(curve.upper):
                axes.fill_between(curve.places, curve.lower, curve.upper, color=colour, alpha=0.2, linewidth=0)
        axes.set(title=title, xlabel=across, ylabel=along)
        if logarithmic:
            axes.set_yscale("log", nonpositive="mask")
        axes.grid(visible=True, alpha=0.3)
        if any(curve.label for curve in curves):
            figure.legend(loc="outside lower center", fontsize="x-small")
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata=METADATA)
    write_atomically(path, drawn.getvalue(), "plot")
