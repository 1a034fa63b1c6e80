"""What the page for a data scientist says of the mechanisms, of saved models and of missing values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from dpmatrix.documentation import pages
from dpmatrix.estimators import DPPCA, DPSecondMoment
from dpmatrix.mechanisms import choice
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.mechanisms.noise_moments import k_norm_moments
from dpmatrix.privacy import Adjacency
from tests.documentation.told_pages import page

(TEXT,) = (page.text for page in pages() if page.name == "estimators")
estimators = page("estimators")
CHOICE = TEXT.partition("\n## Which mechanism\n")[2].partition("\n## ")[0]


def error(name: str, dimension: int, adjacency: str = Adjacency.REPLACE_ONE.value) -> float:
    return DPSecondMoment(mechanism=name, adjacency=adjacency, divisor=1).expected_error(9, dimension).frobenius


@pytest.mark.parametrize("name", [*MATRICES, *DIRECTIONS])
def test_every_mechanism_is_named_where_one_is_chosen(name: str) -> None:
    assert f'"{name}"' in CHOICE


@pytest.mark.parametrize("dimension", [2, 5, 8])
def test_the_order_of_the_mechanisms(dimension: int) -> None:
    names = ("k-norm", "coupled-traces", "symmetrised-wishart")
    errors = [error(name, dimension) for name in names]
    assert errors == sorted(errors)
    assert len(set(errors)) == len(names)
    added = [error(name, dimension, Adjacency.ADD_REMOVE_ONE.value) for name in names[1:]]
    assert added[0] > added[1]


def test_k_norm_noise_is_left_out_from_eight_features_on() -> None:
    estimators.tells("out where a draw needs more than {} pairs on average", choice.MOST_PAIRS)
    for replaces in (True, False):
        seven, eight = (1 / k_norm_moments(d, replaces=replaces).accepted for d in (7, 8))
        assert seven <= choice.MOST_PAIRS < eight


def test_a_saved_model_holds_no_record() -> None:
    records = np.array([[0.123, 0.456], [0.321, 0.654], [0.111, 0.222]])
    saved = pickle.dumps(DPPCA(1, epsilon=1).fit(records))
    assert np.float64(1.0).tobytes() in pickle.dumps(np.array([1.0]))
    assert not [entry for entry in records.ravel() if entry.tobytes() in saved]


@pytest.mark.parametrize("estimator", [DPPCA(1), DPSecondMoment()], ids=["directions", "matrix"])
def test_a_missing_value_is_refused(estimator) -> None:
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit([[0.5, np.nan], [0.5, 0.5]])
