"""The layers of the ziggurat of Marsaglia and Tsang (2000) for half of the normal law: 256 pieces of equal area."""

from __future__ import annotations

import math

import numpy as np

from audit.published.record import FloatArray

LAYERS = 256
BASE = 3.6541528853610088
"""Where the tail begins, from their paper."""
AREA = 0.00492867323399
"""Of each piece, from their paper."""


def _edges() -> FloatArray:
    """Return the right ends: of the lowest piece as if it had no tail, then from the narrowest one to the widest."""
    edges = np.zeros(LAYERS)
    edges[-1] = BASE
    for layer in range(LAYERS - 2, 0, -1):
        below = edges[layer + 1]
        edges[layer] = math.sqrt(-2.0 * math.log(AREA / below + math.exp(-0.5 * below**2)))
    return edges


EDGES = _edges()
DENSITIES: FloatArray = np.exp(-0.5 * EDGES**2)
WIDTHS: FloatArray = np.concatenate([[AREA / DENSITIES[-1]], EDGES[1:]])
ACCEPTED: FloatArray = np.concatenate([[BASE / WIDTHS[0]], EDGES[:-1] / EDGES[1:]])
"""A uniform number below this is under the curve in its layer, without a look at the density."""
