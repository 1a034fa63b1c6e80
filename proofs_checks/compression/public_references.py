"""Two covariances and a public reference, for the evidence on Theorem 3.2."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs

from dpmatrix.spec.compression.distributional_loss import SmallDeltaMax
from proofs_checks.compression.covariance_pairs import SKEW, WIDE, drawn, sheared
from proofs_checks.exact_matrices import correlated

ENTRIES = random.Random(20090625)


def small(first, second, delta, **fields) -> SmallDeltaMax:
    given = {"records": 10**6, "rows": 400, "floor": Fraction(1, 2), "smallness": Fraction(1, 16)}
    given = {"reference": first} | given | fields
    return SmallDeltaMax(first, second, delta, **given)


def small_points() -> list[SmallDeltaMax]:
    points = []
    for i, (first, second) in enumerate(drawn(ENTRIES, 20, spread=10**5)):
        delta = max(abs(Fraction(int(x.p), int(x.q))) for x in (first - second).entries())
        fields = {"floor": Fraction(1, 2 + i % 3), "smallness": Fraction(1, 128 - i), "rows": 40000 + i}
        points.append(small(first, second, delta, reference=(first * i + second) / (i + 1), **fields))
    return points


# At n = 10^6, p = 2: ln 2np = 15.2, so p^2 sqrt(m ln 2np) is 312 at m = 400.
SMALL = small(correlated(Fraction(1, 4)), correlated(Fraction(1, 4) + Fraction(1, 6000)), Fraction(1, 6000))
MASSES_OUTSIDE = {
    "first_mass >= 0": attrs.evolve(SMALL, first_mass=-(10**9)),
    "second_mass >= 0": attrs.evolve(SMALL, second_mass=-(10**9)),
    "P_1(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(SMALL, first_mass=Fraction(11, 10**13)),
    "P_i(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(SMALL, second_mass=Fraction(11, 10**13)),
}
PRINTED_OUTSIDE = {
    "the three covariances are symmetric": attrs.evolve(SMALL, first=SKEW),
    "all columns are normalised as in (4)": attrs.evolve(SMALL, reference=WIDE),
    "max |Sigma_j - Sigma_k| <= Delta_max for all three": attrs.evolve(SMALL, delta_max=Fraction(1, 6001)),
    "records >= 2, an integer": attrs.evolve(SMALL, records=1),
    "rows >= 1, an integer": attrs.evolve(SMALL, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(SMALL, rows=309),
    "floor > 0": attrs.evolve(SMALL, floor=0),
    "lambda_min >= c for all three": attrs.evolve(SMALL, second=correlated(Fraction(3, 4))),
    "Delta_max <= s / (p^2 sqrt(m ln 2np))": attrs.evolve(SMALL, smallness=Fraction(1, 20)),
}
SMALL_OUTSIDE = PRINTED_OUTSIDE | MASSES_OUTSIDE

ALMOST = correlated(1 - Fraction(1, 10**6))
LOSSY = {
    "the three covariances are symmetric": attrs.evolve(
        SMALL, first=sheared(10**9), second=sheared(10**9, -Fraction(1, 10**6)), reference=sheared(10**9)
    ),
    "max |Sigma_j - Sigma_k| <= Delta_max for all three": attrs.evolve(SMALL, second=correlated(-Fraction(1, 4))),
    "lambda_min >= c for all three": attrs.evolve(
        SMALL, first=ALMOST, reference=ALMOST, second=correlated(1 - Fraction(1, 10**6) - Fraction(1, 6000))
    ),
}
"""Points outside one hypothesis alone, at which the loss exceeds the bound."""
