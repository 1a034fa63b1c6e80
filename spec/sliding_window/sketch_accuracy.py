"""Lemma 2, Corollary 1 and Theorem 4: how close the sketch of Algorithm 2 is to the window (section 3)."""

from __future__ import annotations

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import rational
from dpmatrix.spec.conditions import at_least, at_most, below, positive
from dpmatrix.spec.sliding_window.sketch_bounds import (
    DRAWN,
    EVENT,
    PROJECTED,
    SCALES,
    adjacent_histogram,
    bound_10,
    bound_11,
    bound_12,
    bound_13,
    bound_14,
    corollary_bounds,
    factor_margin,
    last_display,
    lemma_2_bounds,
    printed_sandwich,
    repaired_corollary,
    repaired_lemma,
    repaired_theorem_4,
    ridge_identity,
    semidefinite,
    sketch_probability,
    smaller_factor,
    substitution_margin,
    theorem_4_bounds,
)
from dpmatrix.spec.sliding_window.sketched_stream import RUN

LEMMA_2 = Claim(
    id="sliding-window.lemma-2",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Lemma 2",
        "(1-eta/4)(A_W'A_W + c r log^2(1/delta)/eps^2) <= A~'A~ <= (1+eta/4)/(1-eta) A_W'A_W + c r "
        "log^2(1/delta)/eps^2 with probability 1 - beta",
    ),
    statement=Statement("both bounds hold in the direction u, with the constant c", lemma_2_bounds, given=DRAWN),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading="beta is no parameter of the algorithm; Theorem 3 has 1/10. The run is that of one row, T = 1.",
    because=(
        "A~ has 4r/eta rows and A^ = (sigma I; A) has rank d, not r: as soon as d > 4r/eta some direction is "
        "orthogonal to every row of A~, there A~'A~ is zero, and the lower bound is positive, for every c > 0 and with "
        "probability one. r = 1, eta = 1/4, d = 17 does it. Even for d = 1 the event (9) has probability 0.19 at r = "
        "1, eta = 1/2, and less for smaller eta. The same c on both sides would have to be at most, and at least "
        "(1+eta/4)/(1-eta) times, sigma^2 eps^2/(r log^2(1/delta)). With sigma^2 in its place, stamps that expire in "
        "time, and on the event (9), the chain is right."
    ),
    repair=Repair(
        "sigma^2 for c r log^2(1/delta)/eps^2, within the factor on the right too; on (9), with (7) and (8)",
        Statement(
            "(1-eta/4)(A_W'A_W + sigma^2) <= K~(1) <= (1+eta/4)/(1-eta) (A_W'A_W + sigma^2)",
            repaired_lemma,
            given=EVENT,
        ),
    ),
    steps=(
        Step("equation-6", Statement("(sigma I; A)'(sigma I; A) = A'A + sigma^2 I", ridge_identity, given=RUN), True),
        Step("equation-7", Statement("K(2) <= A_W'A_W <= K(1)", printed_sandwich, given=RUN), True),
        Step(
            "equation-8",
            Statement("(1 - eta) K^(1) <= K^(2), at eta = 1/2, with adjacent stamps", adjacent_histogram, given=RUN),
            sound=False,
            note="Update-Approx compares no neighbours, and the printed expiry leaves neighbours around the window.",
        ),
        Step(
            "equation-9",
            Statement(
                "a sketch of 4r/eta rows is within 1 +- eta/4 with probability 9/10", sketch_probability, given=SCALES
            ),
            sound=False,
            note="The deviation of 4r/eta rows is of the order of sqrt(eta), not of eta.",
        ),
        Step("equation-10", Statement("(1-eta/4)(K(1)+sigma^2) <= K~(1)", bound_10, given=EVENT), True),
        Step("equation-11", Statement("(1-eta/4)(A_W'A_W+sigma^2) <= K~(1)", bound_11, given=EVENT), True),
        Step("equation-12", Statement("K~(1) <= (1+eta/4) K^(1)", bound_12, given=EVENT), True),
        Step("equation-13", Statement("K~(1) <= (1+eta/4)/(1-eta) K^(2)", bound_13, given=EVENT), True),
        Step("equation-14", Statement("K~(1) <= (1+eta/4)/(1-eta)(A_W'A_W+sigma^2)", bound_14, given=EVENT), True),
        Step(
            "substitution",
            Statement(
                "one constant c makes (11) and (14) the bounds of the lemma",
                substitution_margin,
                given=(*SCALES, positive("constant")),
            ),
            sound=False,
            note="Two constants are needed, and no constant at all serves every r and delta.",
        ),
    ),
)

COROLLARY_1 = Claim(
    id="sliding-window.corollary-1",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Corollary 1",
        "eta in (0, 3/8): (1-eta)(A_W'A_W - c r log(1/delta)/eps^2) <= A~'A~ <= (1+eta)(A_W'A_W + c r "
        "log(1/delta)/eps)",
    ),
    statement=Statement(
        "both bounds hold in the direction u, with the constant c",
        corollary_bounds,
        given=(*DRAWN, below("eta", rational(3) / 8)),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "On the right epsilon is not squared: an empty window gives sigma^2, of the order eps^-2, against c r "
        "log(1/delta)/eps, even from a sketch without error; eps = 1/(1000 c) refutes any c. The factor is not reached "
        "either: (1+eta/4)/(1-eta) exceeds 1 + eta for every eta in (0, 1), and is at most 1 + 2 eta up to 3/8, which "
        "is what the line before the corollary says. No probability is stated."
    ),
    repair=Repair(
        "factor 1 + 2 eta, and sigma^2 with the sign + on both sides; on the event (9)",
        Statement(
            "(1-eta)(A_W'A_W + sigma^2) <= K~(1) <= (1+2 eta)(A_W'A_W + sigma^2)",
            repaired_corollary,
            given=(*EVENT, at_most("eta", rational(3) / 8)),
        ),
    ),
    steps=(
        Step(
            "factor",
            Statement(
                "(1+eta/4)/(1-eta) <= 1 + 2 eta for eta <= 3/8",
                factor_margin,
                given=(positive("eta"), at_most("eta", rational(3) / 8)),
            ),
            sound=True,
        ),
        Step(
            "one-plus-eta",
            Statement(
                "(1+eta/4)/(1-eta) <= 1 + eta", smaller_factor, given=(positive("eta"), at_most("eta", rational(3) / 8))
            ),
            sound=False,
            note="eta must be halved in the algorithm.",
        ),
    ),
    uses=("sliding-window.lemma-2+repair",),
)

THEOREM_4 = Claim(
    id="sliding-window.theorem-4",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Theorem 4",
        "a positive semidefinite C = A~'A~ - sigma^2 with (1-eta)A_W'A_W - c eta r log(1/delta)/(4 eps^2) <= C <= "
        "(1+eta)A_W'A_W + c eta r log(1/delta)/eps^2",
    ),
    statement=Statement("both bounds on C hold in the direction u, with the constant c", theorem_4_bounds, given=DRAWN),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "In a direction that no row of the sketch sees, and there is one as soon as d > 4r/eta, C is -sigma^2, and "
        "sigma^2 eps^2 exceeds 256 r log(1/delta): with eta c < 1024 the lower bound is false with probability one. "
        "C is not positive semidefinite: already a sketch that is 1 - eta/4 where 1 is meant makes it -eta sigma^2/4. "
        "The display of the proof takes (1-eta)(A - X) - X for (1-eta)A - eta X; it is (1-eta)A - (2-eta)X. On the "
        "event (9) the nearest positive semidefinite C_+ does what is wanted, with eta sigma^2 for the printed terms."
    ),
    repair=Repair(
        "C_+, the nearest positive semidefinite matrix; 1 + 2 eta; eta sigma^2/4 and 9 eta sigma^2/4; on the event (9)",
        Statement(
            "(1-eta/4)A_W'A_W - (eta/4) sigma^2 <= C_+ <= (1+2 eta)A_W'A_W + (9/4) eta sigma^2",
            repaired_theorem_4,
            given=(*EVENT, PROJECTED, at_least("window", 0), at_most("eta", rational(3) / 8)),
        ),
    ),
    steps=(
        Step(
            "semidefinite",
            Statement("C = A~'A~ - sigma^2 is positive semidefinite", semidefinite, given=DRAWN),
            sound=False,
            note="It is a difference; post-processing by projection makes it so and keeps the promise.",
        ),
        Step(
            "last-display",
            Statement("(1-eta)(A'A - X) - X = (1-eta)A'A - eta X", last_display, given=(at_least("extra", 0),)),
            sound=False,
            note="With + X in Corollary 1, as (11) has it, the right side is correct.",
        ),
    ),
    uses=("sliding-window.lemma-2+repair",),
)
