"""Points that several modules share."""

from __future__ import annotations

import attrs

from dpmatrix.exact import Real
from dpmatrix.spec.conditions import positive, whole


@attrs.frozen
class InputPerturbation:
    """Dimension, number of records and promised epsilon of an input perturbation of XX'/n."""

    dimension: int
    records: int
    epsilon: Real


INPUT_HYPOTHESES = (whole("dimension", 1), whole("records", 1), positive("epsilon"))
