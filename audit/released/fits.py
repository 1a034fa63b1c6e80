"""Fits of the estimators and the mechanisms that they stand for, with records at the bound and their neighbours."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from audit.released.settings import ADDED, REPLACED
from dpmatrix.estimators import DPPCA, DPSecondMoment
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.privacy.adjacency import Adjacency

ESTIMATORS = (DPSecondMoment, DPPCA)
EPSILON, BOUND, COLUMNS = Fraction(1, 2), 4, 3
GAUSSIAN = ("gaussian", "gaussian-orthogonal", "mod-sulq")
DATA = np.array([[4.0, 0.0, 0.0], [0.0, 2.0, 2.0], [1.0, -1.0, 0.5], [0.0, 0.0, -4.0]])
"""Records at the bound; the neighbours change the first."""

REPLACEMENT = np.vstack([[0.0, 4.0, 0.0], DATA[1:]])
NEIGHBOURS = {REPLACED: REPLACEMENT, ADDED: DATA[1:]}


def asked(adjacency: Adjacency, mechanism: str = "symmetrised-wishart") -> dict[str, Any]:
    """Return what an estimator is asked for."""
    delta = {"delta": 1e-6} if mechanism in GAUSSIAN else {}
    return {"epsilon": EPSILON, "data_norm": BOUND, "adjacency": adjacency.value, "mechanism": mechanism, **delta}


def built(adjacency: Adjacency, mechanism: str = "symmetrised-wishart") -> Any:
    """Build the same mechanism."""
    more = {"delta": Fraction(1, 10**6)} if mechanism in GAUSSIAN else {}
    made = {**MATRICES, **DIRECTIONS}[mechanism]
    return made(EPSILON, adjacency=adjacency, norm_bound=BOUND, **more)


def fitted(estimator: Any) -> dict[str, Any]:
    """Return what a fit leaves, as something that can be compared."""
    return {name: repr(value) for name, value in vars(estimator).items() if name not in estimator.get_params()}
