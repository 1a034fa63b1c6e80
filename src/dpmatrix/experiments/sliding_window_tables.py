"""Tables 1 and 2 of `sliding-window`: entries as printed, entries of the theorems, and the verdicts on those."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from dpmatrix.claims import Claim, Statement, Truth
from dpmatrix.experiments.reproduction import Cell, Reproduction
from dpmatrix.spec import committed_standings, load
from dpmatrix.spec.sliding_window import component_table, result_table, table_entries

RESULTS = table_entries.TableSetting(
    window=10**6,
    dimension=100,
    rank=10,
    target=5,
    eta=Fraction(1, 10),
    epsilon=1,
    delta=Fraction(1, 10**6),
    failure=Fraction(1, 10),
)
"""Where the entries of Table 1 are evaluated, with every constant 1."""

STEPS = (
    ("spectral-error", "spectral-space"),
    ("constrained-error", "components-space"),
    ("constrained-error", "components-space"),
    ("regression-error", "cubic-space"),
    ("variance-error", "cubic-space"),
)
"""Steps of the claim that judge the two entries of each row."""

COMPONENTS = component_table.ComponentSetting(
    window=10**6, dimension=10**6, target=5, eta=Fraction(1, 10), epsilon=1, delta=Fraction(1, 10**80)
)
"""Where the entries of Table 2 are evaluated; delta is at least d^(-log d)."""


@cache
def _claims() -> Mapping[str, Claim]:
    return load().claims


def _verdicts(*claims: str) -> str:
    """Return the verdict on each claim, and whether the last accepted run has earned it."""
    known, standings, found = _claims(), committed_standings(), []
    for name in claims:
        verdict = known[name].verdict.value if name in known else "not judged"
        found.append(f"{name}: {verdict} ({standings.get(name, {}).get('standing', 'no run yet')})")
    return "; ".join(found)


def _differences(claim: Claim, *names: str) -> str:
    """Return the notes of the steps that judge an entry."""
    steps = {step.name: step for step in claim.steps}
    return " ".join(steps[name].note for name in names)


def unmet(statement: Statement, point: object) -> tuple[str, ...]:
    """Say which hypotheses of a table do not hold where its entries are evaluated."""
    failed = [one.says for one in statement.given if one.at(point) is not Truth.TRUE]
    return (f"outside the hypotheses of the table: {'; '.join(failed)}",) if failed else ()


def result_reproduction(p: table_entries.TableSetting = RESULTS) -> Reproduction:
    """Reproduce Table 1: each entry as printed, as the cited theorem states it, and the verdict on that theorem."""
    columns = (
        zip(table_entries.printed_errors(p), table_entries.stated_errors(p), strict=True),
        zip(table_entries.printed_spaces(p), table_entries.stated_spaces(p), strict=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for task, cited, names, *entries in zip(table_entries.TASKS, table_entries.CITED, STEPS, *columns, strict=True):
        for what, name, (printed, stated) in zip(("error", "space"), names, entries, strict=True):
            numbers = float(printed.mid()), float(stated.mid())
            difference = _differences(result_table.TABLE_1, name) or "none"
            rows.append((task, what, *numbers, difference, _verdicts(cited)))
    setting = (
        f"W = {p.window}, d = {p.dimension}, r = {p.rank}, k = {p.target}, eta = {p.eta}, epsilon = {p.epsilon}, "
        f"delta = {p.delta}, beta = {p.failure}, every constant 1"
    )
    table = result_table.TABLE_1
    notes = (setting, f"the table itself: {table.verdict.value}", *unmet(table.statement, p))
    header = ("result", "entry", "printed", "of the theorem", "difference", "verdict on the theorem")
    return Reproduction(table.id, header, tuple(rows), notes)


def component_reproduction(p: component_table.ComponentSetting = COMPONENTS) -> Reproduction:
    """Reproduce Table 2, with each additive error in |A - AP|_F as well where it is known."""
    upper, lower = float(component_table.upper_error(p).mid()), float(component_table.lower_error(p).mid())
    trace, simple = float(component_table.trace_error(p).mid()), float(component_table.simple_cost(p).mid())
    square, sketch = float(p.dimension**2), float(p.dimension * p.target / p.eta)
    least, most = float(component_table.lower_space(p).mid()), float(component_table.upper_space(p).mid())
    quoted, table = "quoted, not judged", component_table.TABLE_2
    bounds = _verdicts("cross.low-rank-lower-bounds", "sliding-window.theorem-19")
    entries: tuple[tuple[Cell, ...], ...] = (
        (None, None, square, "", quoted),
        (trace, simple, square, "an error of the trace", _verdicts("analyze-gauss.theorem-4")),
        (upper, upper, sketch, "", quoted),
        (lower, lower, least, _differences(table, "errors-in-order", "space-of-theorem-19"), bounds),
        (upper, upper, most, _differences(table, "space-of-theorem-3"), _verdicts("sliding-window.theorem-6")),
    )
    rows = tuple((row, *entry) for row, entry in zip(component_table.ROWS, entries, strict=True))
    setting = (
        f"W = {p.window}, d = {p.dimension}, k = {p.target}, eta = {p.eta}, epsilon = {p.epsilon}, every constant 1 "
        "but that of the second row in |A - AP|_F"
    )
    notes = (setting, f"the table itself: {table.verdict.value}", *unmet(table.statement, p))
    header = ("row", "error", "in |A - AP|_F", "space", "difference", "verdict")
    return Reproduction(table.id, header, rows, notes)
