"""What the cells of a notebook print."""

from __future__ import annotations

from dpmatrix.claims import Truth
from dpmatrix.claims.evaluation import Evaluation
from dpmatrix.experiments.reproduction import Cell, Reproduction

MOST_ROWS = 40
"""Of a table that is printed."""


def show(found: Evaluation) -> None:
    """Print each hypothesis with its answer, the margin of the conclusion, and what the point says of the statement."""
    for one in found.hypotheses:
        print(f"{_answer(one.answer):<11} {one.says}")
    print(f"{_answer(found.answer):<11} the conclusion: margin {found.margin.str(8)}")
    print(found.verdict)


def _answer(answer: Truth | None) -> str:
    return "not defined" if answer is None else answer.value


def show_table(made: Reproduction) -> None:
    """Print the notes and the rows of a table or a figure, at most `MOST_ROWS` of them."""
    print("not private;", "; ".join(made.notes))
    rows = [made.columns, *(tuple(map(_words, row)) for row in made.rows[:MOST_ROWS])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if len(made.rows) > MOST_ROWS:
        print(f"and {len(made.rows) - MOST_ROWS} rows more")


def _words(cell: Cell) -> str:
    return "" if cell is None else f"{cell:.4g}" if isinstance(cell, float) else str(cell)
