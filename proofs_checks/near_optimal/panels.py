"""Figures 3 to 5 of `near-optimal`: what their statements ask of utilities, compared with formulas at points."""

from __future__ import annotations

from flint import fmpq

from dpmatrix.claims import Statement, bind, bind_hypotheses
from dpmatrix.spec.near_optimal.utility_figures import SUBSET, ClippedUtilities, NoisyUtilities, Utilities

POINTS = [
    NoisyUtilities(fmpq(6, 10), fmpq(p, 50), fmpq(m, 50), fmpq(r, 50), fmpq(s, 7), 9, fmpq(1, 2))
    for p in (12, 30)
    for m in (3, 11, 16)
    for r in (4, 9)
    for s in (1, 3)
]


def slack(p):
    return min(p.ppca - p.mod_sulq, p.best / 10 - abs(p.mod_sulq - p.random))


def bind_slack(statement):
    bind(statement.elsewhere(), [(p, slack(p)) for p in POINTS])


NOISE = "beta sqrt(d) >= 2 l_1"
PANELS = "the data set is census or kddcup"
ONE_PANEL = "the data set is kddcup"
SIZE = "n = 24,701"
INSURANCE = "the data set is insurance"
LOCALIZATION = "the data set is localization"


def changed(data_set="kddcup", **fields):
    names = ("best", "ppca", "mod_sulq", "random", "deviation", "dimension", "largest")
    base = dict(zip(names, (fmpq(1, 2), fmpq(1, 3), fmpq(1, 9), fmpq(1, 9), fmpq(1), 4, fmpq(1)), strict=True))
    return NoisyUtilities(**({"records": SUBSET} | base | fields), data_set=data_set)


PANELS_OUTSIDE = {"best > 0": changed(best=fmpq(0)), PANELS: changed("insurance")}
SUBSET_OUTSIDE = {
    "best > 0": changed(best=fmpq(0)),
    ONE_PANEL: changed("census"),
    SIZE: changed(records=SUBSET + 1),
    NOISE: changed(deviation=fmpq(99, 100)),
}


def bind_names(statement, panels):
    named = next(one for one in statement.given if one.says.startswith("the data set"))
    names = ("census", "kddcup", "localization", "insurance", "")
    bind(Statement(named.says, named.margin), [(changed(x), 0 if x in panels else -1) for x in names], least=5)


def bind_insurance(statement):
    bind_slack(statement)
    outside = {"best > 0": changed("insurance", best=fmpq(0)), INSURANCE: changed()}
    bind_hypotheses(statement, changed("insurance"), outside)


def product_rows():
    """Utilities among which each of the slacks is the smallest for some, with either sign."""
    return [(10, p, m, r) for p in (3, 9) for m in (2, 4, 5) for r in (1, 3, 4, 6)]


def bind_localization(statement):
    rows = [Utilities(*(fmpq(x, 20) for x in row)) for row in product_rows()]
    bind(statement.elsewhere(), [(p, min(p.ppca - p.mod_sulq, p.mod_sulq - p.random)) for p in rows])


CLIPPED = [
    ClippedUtilities(fmpq(b, 10), fmpq(p, 100), fmpq(m, 100), fmpq(1, 10))
    for b in (5, 6)
    for p in (44, 50, 56)
    for m in (20, 37, 41, 50)
]


def bind_clipped(statement):
    bind(statement.elsewhere(), [(p, min(p.ppca - p.best * 9 / 10, p.best * 7 / 10 - p.mod_sulq)) for p in CLIPPED])
    outside = {
        "best > 0": (fmpq(0), fmpq(1, 10)),
        "epsilon = 1/10": (fmpq(1), fmpq(101, 1000)),
    }
    bind_hypotheses(statement, CLIPPED[0], {says: ClippedUtilities(b, b, b, e) for says, (b, e) in outside.items()})
