"""Points that several modules share."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import at_least, exceeds, positive, whole


@attrs.frozen
class InputPerturbation:
    """Dimension, number of records and stated epsilon of an input perturbation of XX'/n."""

    dimension: int
    records: int
    epsilon: Real


INPUT_HYPOTHESES = (whole("dimension", 1), whole("records", 1), positive("epsilon"))


@attrs.frozen
class GridNoise:
    """Noise of the law that an algorithm names, and the grid hZ of the numbers that a machine can write.

    Parameters
    ----------
    dimension, records, epsilon
        The inputs.
    spacing
        The h > 0 of the grid.
    distance
        A distance of at least 0 and less than h/2.
    """

    dimension: int
    records: int
    epsilon: Real
    spacing: Real
    distance: Real


def below_half_margin(p: GridNoise) -> arb:
    """``h/2 - distance``."""
    return ball(p.spacing) / 2 - ball(p.distance)


ON_A_GRID = (Chosen("spacing"),)
GRID = (
    *INPUT_HYPOTHESES,
    positive("spacing"),
    at_least("distance", 0),
    exceeds("distance < h/2", below_half_margin),
)
