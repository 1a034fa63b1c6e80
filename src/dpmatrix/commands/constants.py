"""``dpmatrix constants``: the noise that the documents print, judged by exact profiles."""

from __future__ import annotations

import json
from typing import Any

import typer

from dpmatrix.commands.failures import one_line
from dpmatrix.commands.plots import Curve, write_svg
from dpmatrix.commands.privacy import Plot
from dpmatrix.commands.runs import AsJson
from dpmatrix.experiments.constants_table import (
    DELTAS,
    DIMENSIONS,
    EPSILONS,
    ROWS,
    SHOWN,
    Row,
    constants_table,
    excess_curve,
)
from dpmatrix.experiments.printed_truncation import CLAIM, SAYS, truncation_row
from dpmatrix.reporting.terminal import table_text

EXPLANATION = (
    f"Records of norm at most 1. Judged at epsilon from {float(EPSILONS[0]):g} to {float(EPSILONS[-1]):g}, "
    f"delta from {float(DELTAS[-1]):g} to {float(DELTAS[0]):g}, d in {{{', '.join(map(str, DIMENSIONS))}}}, "
    f"{ROWS} rows of a sketch. The excess is printed over minimal noise, at delta = {float(SHOWN[0].delta):g} "
    f"and d = {SHOWN[0].dimension}: above 1 is waste, below 1 is not enough. For {CLAIM} it is the printed bound on "
    "the loss over the exact supremum, at three correlations."
)


def headings() -> tuple[str, ...]:
    """Return the columns of the table."""
    return (
        "claim",
        "printed",
        "adjacency",
        "keeps",
        "fails first",
        "excess at epsilon " + ", ".join(f"{float(setting.epsilon):g}" for setting in SHOWN),
    )


def cells(row: Row) -> tuple[str, ...]:
    """Return the words of a row of the table."""
    return (
        row.noise.claim,
        row.noise.says,
        row.noise.adjacency.value,
        f"{row.keeps} of {row.judged}",
        _first(row),
        ", ".join("no noise keeps it" if excess is None else f"{excess:.3g}" for excess in _known(row)),
    )


def truncation_cells() -> tuple[str, ...]:
    """Return the words of the row on the loss of a truncated sketch."""
    row = truncation_row()
    shown = ", ".join(f"{entry['excess']:.3g}" for entry in row["excess"])
    kept = f"{row['keeps']} of {row['judged']}"
    first = "nowhere here" if row["fails_first"] is None else str(row["fails_first"])
    return (CLAIM, SAYS, row["adjacency"], kept, first, shown)


def _known(row: Row) -> list[float | None]:
    found = [excess for _, excess in row.excess]
    return found if any(excess is not None for excess in found) else [None]


def report_section() -> dict[str, Any]:
    """Return the table for the HTML report."""
    return {
        "explanation": EXPLANATION,
        "headings": headings(),
        "rows": [*(cells(row) for row in constants_table()), truncation_cells()],
    }


def _first(row: Row) -> str:
    first = row.breakdown
    if first is None:
        return "nowhere here"
    at = f"epsilon {float(first.setting.epsilon):.4g}" + (
        ", the least judged" if first.kept is None else f" (not at {float(first.kept):.4g})"
    )
    promised = "" if row.noise.pure else f", delta {float(first.setting.delta):g}"
    return f"{at}{promised}, d {first.setting.dimension}: delta is {first.delta:.4g}"


@one_line
def constants(*, as_json: AsJson = False, plot: Plot = None) -> None:
    """Print where the constants of the documents keep their guarantee, where they fail, and what they waste."""
    rows = constants_table()
    if plot is not None:
        write_svg(
            plot,
            "Printed over minimal noise",
            "epsilon",
            "excess",
            [_curve(row) for row in rows if any(excess is not None for _, excess in row.excess)],
            logarithmic=True,
        )
    if as_json:
        found = [*(row.to_json() for row in rows), truncation_row()]
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    words = [*(cells(row) for row in rows), truncation_cells()]
    typer.echo(table_text(headings(), words, EXPLANATION), nl=False)


def _curve(row: Row) -> Curve:
    found = [(float(epsilon), excess) for epsilon, excess in excess_curve(row.noise) if excess is not None]
    places, excesses = [place for place, _ in found], [excess for _, excess in found]
    return Curve(f"{row.noise.claim}: {row.noise.says}", places, excesses, excesses)
