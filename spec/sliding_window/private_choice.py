"""What the repairs share that compute something from the private window of theorem-4's.

C~ is the signed sum of the window's noisy sums over blocks: A_W'A_W + N with |N| <= zeta outside an event of
probability beta, which no projection and no cut enters.
"""

from __future__ import annotations

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.sliding_window.dyadic_release import cover_margin
from dpmatrix.spec.sliding_window.released_sums import RELEASED
from dpmatrix.spec.sliding_window.window_noise import COVERED

CHANGE = (
    "one row of norm at most 1 replaced by zero, the other rows of any length; C~ is the window as a signed sum of "
    "sums over blocks of 1, 2, 4, ..., 2^h rows with the Gaussian noise of theorem-4's repair, and the projection is "
    "computed from C~; no factor 1 +- eta"
)
RELEASE_STEPS = (
    Step("released", RELEASED, defect=None, note="The privacy of the repair, as for lemma-3."),
    Step(
        "cover",
        Statement(
            "a window of at most 2^h rows is the signed sum of at most 2h + 1 of the sums that are released",
            cover_margin,
            given=COVERED,
        ),
        defect=None,
    ),
)
