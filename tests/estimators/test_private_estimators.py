"""What an estimator publishes is what its mechanism publishes, and nothing else."""

from __future__ import annotations

import pickle
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyWarning
from dpmatrix.mechanisms import principal_components, project_psd
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.spec import load

RECORDS = np.random.default_rng(3).uniform(-0.5, 0.5, (40, 3)) * np.array([1.0, 0.5, 0.1])
GAUSSIAN = ("gaussian", "gaussian-orthogonal", "mod-sulq")
BOTH = [adjacency.value for adjacency in Adjacency]


def options(mechanism: str) -> dict[str, object]:
    return {"mechanism": mechanism, **({"delta": 1e-6} if mechanism in GAUSSIAN else {})}


def direct(mechanism: str, adjacency: str, **more):
    """Build the mechanism itself."""
    settings = {"epsilon": 0.5, "adjacency": Adjacency(adjacency), **more}
    if mechanism in GAUSSIAN:
        settings["delta"] = Fraction(1, 10**6)
    return {**MATRICES, **DIRECTIONS}[mechanism](**settings)


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("mechanism", MATRICES)
def test_second_moment_is_that_of_the_mechanism(mechanism: str, adjacency: str) -> None:
    estimator = DPSecondMoment(epsilon=0.5, adjacency=adjacency, random_state=5, divisor=7, **options(mechanism))
    with pytest.warns(PrivacyWarning, match="no guarantee"):
        estimator.fit(RECORDS)
    release = direct(mechanism, adjacency, divisor=7).release(RECORDS, entropy=SeededEntropy(5))
    assert estimator.release_ == release
    assert np.array_equal(estimator.second_moment_, release.to_numpy())
    assert np.array_equal(estimator.covariance_, project_psd(release.to_numpy()))


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_components_are_those_of_the_mechanism(mechanism: str, rank: int, adjacency: str) -> None:
    estimator = DPPCA(rank, epsilon=0.5, adjacency=adjacency, random_state=5, **options(mechanism)).fit(RECORDS)
    more = {"rank": rank} if mechanism in DIRECTIONS else {}
    release = direct(mechanism, adjacency, **more).release(RECORDS, entropy=SeededEntropy(5))
    directions = release.to_numpy()
    if mechanism in MATRICES or (mechanism == "ppca" and rank > 1):
        directions = principal_components(release, rank).value
    assert estimator.release_ == release
    assert np.array_equal(np.abs(estimator.components_), np.abs(directions.T))
    assert np.allclose(estimator.components_ @ estimator.components_.T, np.eye(rank), atol=1e-9)
    if mechanism in DIRECTIONS:
        assert estimator.explained_variance_ is None
        assert estimator.explained_variance_ratio_ is None
    else:
        expected = np.maximum(np.linalg.eigvalsh(release.to_numpy())[::-1], 0)
        assert np.array_equal(estimator.explained_variance_, expected[:rank])
        assert np.allclose(estimator.explained_variance_ratio_ * expected.sum(), expected[:rank])


@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
def test_guarantee_is_that_of_the_mechanism(mechanism: str) -> None:
    estimator = DPPCA(epsilon=0.5, data_norm=2, over_norm="clip", **options(mechanism)).fit(RECORDS)
    expense = estimator.expense_
    assert estimator.guarantee_ == expense.guarantee == direct(mechanism, "replace-one").guarantee
    assert expense.data_norm == Fraction(2)
    assert expense.over_norm == "clip"
    assert expense.entropy == SystemEntropy().description
    assert expense.claims
    registry = load()
    assert {claim.split("+")[0].split("/")[0] for claim in expense.claims} <= set(registry.claims)


def test_seeded_bits_keep_no_guarantee() -> None:
    for state in (0, np.random.RandomState(1)):
        with pytest.warns(PrivacyWarning, match=r"no guarantee \[wishart\.theorem-4\+repair\]"):
            estimator = DPSecondMoment(random_state=state).fit(RECORDS)
        assert estimator.guarantee_ is None
        assert estimator.expense_.guarantee is None
    first, second = (DPSecondMoment().fit(RECORDS).second_moment_ for _ in range(2))
    assert not np.array_equal(first, second)


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_long_records_are_clipped_unless_they_are_to_be_refused() -> None:
    long = np.vstack([RECORDS, [[30.0, 40.0, 0.0]]])
    with pytest.raises(InvalidParameterError, match="a record is longer"):
        DPPCA(mechanism="laplace", over_norm="reject").fit(long)
    short = np.vstack([RECORDS, [[0.6, 0.8, 0.0]]])
    seeded = {"mechanism": "laplace", "random_state": 1}
    clipped, expected = (DPSecondMoment(**seeded).fit(records).second_moment_ for records in (long, short))
    assert np.allclose(clipped, expected, atol=1e-5)


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_the_mean_is_subtracted_before_the_bound_is_applied() -> None:
    point = np.array([100.0, -100.0, 50.0])
    far = RECORDS + point
    with pytest.raises(InvalidParameterError, match="longer"):
        DPPCA(over_norm="reject").fit(far)
    moved = DPPCA(2, mean=point.tolist(), random_state=2).fit(far)
    still = DPPCA(2, random_state=2).fit(far - point)
    assert np.array_equal(moved.components_, still.components_)
    assert np.allclose(moved.transform(far), still.transform(far - point), atol=1e-12)
    seen = moved.inverse_transform(moved.transform(far)) - point
    assert np.allclose(seen, still.inverse_transform(still.transform(far - point)), atol=1e-9)
    for mean in ([0.0], [0.0, np.nan, 0.0], "point"):
        with pytest.raises(InvalidParameterError, match="mean"):
            DPPCA(mean=mean).fit(RECORDS)


def test_inverse_transform_is_the_projection() -> None:
    estimator = DPPCA(2).fit(RECORDS)
    plane = estimator.inverse_transform(estimator.transform(RECORDS))
    assert np.allclose(plane, RECORDS @ estimator.components_.T @ estimator.components_, atol=1e-9)
    assert np.allclose(estimator.transform(plane), estimator.transform(RECORDS), atol=1e-9)
    with pytest.raises(InvalidParameterError, match="coordinates"):
        estimator.inverse_transform(np.zeros((1, 3)))
    with pytest.raises(NotFittedError):
        DPPCA().inverse_transform(np.zeros((1, 1)))


@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
def test_the_number_of_records_is_kept_secret_where_it_is_one(mechanism: str) -> None:
    """A zero record changes nothing that is published, so nothing that is kept may change with it."""
    settings = {"adjacency": "add-remove-one", "random_state": 9, **options(mechanism)}
    first = vars(DPPCA(2, **settings).fit(RECORDS))
    second = vars(DPPCA(2, **settings).fit(np.vstack([RECORDS, np.zeros((5, 3))])))
    assert pickle.dumps(first) == pickle.dumps(second)
    none = DPPCA(2, **settings).fit(np.empty((0, 3)))
    assert none.components_.shape == (2, 3)


@pytest.mark.parametrize(
    ("settings", "claim"),
    [
        ({"mechanism": "mod-sulq", "delta": 0.01}, "near-optimal.theorem-5"),
        ({"mechanism": "gaussian", "delta": 0.01}, "analyze-gauss.algorithm-1"),
        ({"mechanism": "laplace"}, "wishart.theorem-3"),
        ({"mechanism": "ppca", "adjacency": "add-remove-one"}, "near-optimal.theorem-6"),
    ],
)
def test_printed_noise_warns_with_the_claim_that_prints_it(settings, claim: str) -> None:
    with pytest.warns(PrivacyWarning, match=rf"times what its guarantee needs at d = 3.*{claim}"):
        DPPCA(calibration="printed", **settings).fit(RECORDS)


def test_the_excess_is_the_ratio_of_the_noises() -> None:
    with pytest.warns(PrivacyWarning, match=r"PPCA is 2 times"):
        DPPCA(mechanism="ppca", adjacency="add-remove-one", calibration="printed").fit(RECORDS)
    with pytest.warns(PrivacyWarning, match=r"is 2\.09 times"):  # 2 d over the l1 sensitivity: 6 / (sqrt(33) / 2)
        DPPCA(mechanism="laplace", calibration="printed").fit(np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"delta": 1e-6}, "wasted"),
        ({"mechanism": "gaussian"}, "delta"),
        ({"mechanism": "bingham"}, "mechanism"),
        ({"mechanism": "symmetrised-wishart", "calibration": "printed"}, "wishart.theorem-4"),
        ({"calibration": "loose", "mechanism": "ppca"}, "calibration"),
        ({"adjacency": "bounded"}, "adjacency"),
        ({"data_norm": 0}, "norm_bound"),
        ({"over_norm": "scale"}, "over_norm"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 4}, "exceeds the number of features 3"),
        ({"n_components": 1.5}, "n_components"),
    ],
)
def test_parameters_are_judged_by_fit(settings, words: str) -> None:
    estimator = DPPCA(**settings)
    with pytest.raises(InvalidParameterError, match=words):
        estimator.fit(RECORDS)
    assert not hasattr(estimator, "release_")


def test_a_refuted_mechanism_is_refused_with_its_claim() -> None:
    for make in (DPPCA, DPSecondMoment):
        with pytest.raises(NotPrivateError, match=r"wishart\.theorem-4.*symmetrised-wishart"):
            make(mechanism="wishart").fit(RECORDS)
    with pytest.raises(InvalidParameterError, match="mechanism"):
        DPSecondMoment(mechanism="ppca").fit(RECORDS)


def test_without_scikit_learn_the_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import dpmatrix.mechanisms\n"
        "try:\n    import dpmatrix.estimators\n"
        "except dpmatrix.errors.MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("scikit-learn is not installed; install dpmatrix[estimators], which ")
    assert done.stdout.endswith('pip install -e ".[estimators]"\n')


def test_in_a_pipeline() -> None:
    data, target = load_iris(return_X_y=True)
    pipeline = make_pipeline(DPPCA(2, epsilon=3, data_norm=12), LogisticRegression(max_iter=1000))
    assert clone(pipeline).get_params()["dppca__epsilon"] == 3
    pipeline.set_params(dppca__mechanism="gaussian", dppca__delta=1e-5).fit(data, target)
    # A constant answer is right for a third of the flowers; 150 of norm about 8 at epsilon = 3 leave much to see.
    assert pipeline.score(data, target) > 0.4
    assert list(pipeline[:-1].get_feature_names_out()) == ["dppca0", "dppca1"]
    again = pickle.loads(pickle.dumps(pipeline))
    assert np.array_equal(again.predict(data), pipeline.predict(data))


@pytest.mark.parametrize("mask", [True, False])
def test_masked_arrays_are_refused(mask):
    """scikit-learn would drop the mask, and read a record that was taken back."""
    X = np.ma.array([[0.1, 0.2], [0.3, 0.4]], mask=[[False, False], [mask, mask]])
    for estimator in (DPPCA(1), DPSecondMoment()):
        with pytest.raises(InvalidParameterError, match="X: it is masked"):
            estimator.fit(X)


REFUSED: dict[str, Any] = {
    "a word": [[0.25, 0.5], ["secret-4711", 0.5]],
    "complex": np.array([[0.25, 4711j]]),
    "a list of complex numbers": [[0.25, 4711j]],
    "one dimension": np.array([0.25, 4711.0]),
    "no dimension": np.array(4711.0),
    "rows that differ": [[0.25, 0.5], [4711.0]],
    "objects": np.array([[0.25, "4711"], [0.5, "secret-4711"]], dtype=object),
    "not finite": [[4711.0, 0.5], [np.nan, 0.5]],
}


def shown(error: BaseException | None) -> str:
    """Return the words of an error and of those behind it."""
    return "" if error is None else f"{error!r} {error} {shown(error.__cause__)} {shown(error.__context__)}"


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_shows_no_entry_of_a_record(what: str) -> None:
    """scikit-learn's messages hold the array where it is complex or of another dimension, and words wherever."""
    fitted = DPPCA(2, epsilon=1, over_norm="clip").fit(RECORDS[:, :2])
    for call in (DPPCA(1).fit, DPSecondMoment().fit, fitted.transform, fitted.inverse_transform):
        with pytest.raises((ValueError, TypeError)) as found:
            call(REFUSED[what])
        assert "4711" not in shown(found.value)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("complex", "X: Complex data not supported; pass an array of shape (n, d) of real numbers"),
        (
            "one dimension",
            "X: it has not two dimensions; Reshape your data: pass an array of shape (n, d) of real numbers",
        ),
        (
            "no dimension",
            "X: it has not two dimensions; Reshape your data: pass an array of shape (n, d) of real numbers",
        ),
        ("a word", "X: it is no array of real numbers; pass an array of shape (n, d) of real numbers"),
        ("rows that differ", "X: it is no array of real numbers; pass an array of shape (n, d) of real numbers"),
    ],
)
def test_a_refusal_says_what_is_wrong_with_the_array(what: str, words: str) -> None:
    fitted = DPPCA(2).fit(RECORDS[:, :2])
    for call in (DPPCA(1).fit, DPSecondMoment().fit, fitted.transform, fitted.inverse_transform):
        with pytest.raises(InvalidParameterError) as found:
            call(REFUSED[what])
        assert str(found.value) == words
