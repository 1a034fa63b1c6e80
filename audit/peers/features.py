"""What the table of features says of libraries, asked of the libraries themselves.

Each question of the table that a library can answer is a function here, which says yes or no and looks at what is
installed. Where it fits a model, the data are invented.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import diffprivlib
import numpy as np
import opendp.prelude as dp
from diffprivlib import models, tools
from diffprivlib.utils import PrivacyLeakWarning
from sklearn.base import clone

import dpmatrix.estimators
import dpmatrix.mechanisms
from dpmatrix.estimators import DPPCA, DPSecondMoment, PrivacyBudget
from dpmatrix.mechanisms.streams import SlidingWindowGram

OURS, IBM, OPENDP = LIBRARIES = ("dpmatrix", "diffprivlib", "opendp")
RECORDS = np.random.default_rng(1).uniform(-0.4, 0.4, (200, 4))
FEATURES = ("contrib", "honest-but-curious", "idealized-numerics")
OpenPCA = dp.sklearn.decomposition.PCA


def ours(**settings: Any) -> DPPCA:
    return DPPCA(settings.pop("n_components", 2), **settings)


def ibm(**settings: Any) -> models.PCA:
    return models.PCA(**({"n_components": 2, "data_norm": 1, "bounds": (-1, 1)} | settings))


def opened(**settings: Any) -> Any:
    dp.enable_features(*FEATURES)
    return OpenPCA(
        **({"epsilon": 1.0, "row_norm": 1.0, "n_samples": 200, "n_features": 4, "n_components": 2} | settings)
    )


def takes(thing: Callable[..., Any], name: str) -> bool:
    return name in inspect.signature(thing).parameters


def parameter(thing: Callable[..., Any], name: str) -> inspect.Parameter:
    return inspect.signature(thing).parameters[name]


def works(call: Callable[[], object]) -> bool:
    """Whether a call ends without an error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception:
        return False
    return True


def warns_of_a_leak(call: Callable[[], object]) -> bool:
    """Whether a call reads something off the data, and says so."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return any(issubclass(one.category, PrivacyLeakWarning) for one in caught)


def has_all(thing: object) -> bool:
    return all(hasattr(thing, name) for name in ("inverse_transform", "score", "get_covariance"))


def named(module: object, *words: str) -> bool:
    return any(word in name.lower() for name in dir(module) for word in words)


def refuses_without(feature: str) -> bool:
    """Whether the components of opendp need a feature that is off by default."""
    dp.enable_features(*FEATURES)
    dp.disable_features(feature)
    try:
        return not works(lambda: opened_measurement())
    finally:
        dp.enable_features(feature)


def opened_measurement(**known: Any) -> Any:
    domain = dp.numpy.array2_domain(num_columns=4, size=200, T=float, **known)
    return dp.sklearn.decomposition.make_private_pca(domain, dp.symmetric_distance(), 1.0, norm=1.0, num_components=2)


Probe = Callable[[], bool]
PROBES: Mapping[str, Mapping[str, Probe]] = {
    "Is it copied and set as scikit-learn's estimators are (`clone`, `get_params`)?": {
        OURS: lambda: works(lambda: clone(ours())),
        IBM: lambda: works(lambda: clone(ibm())),
        OPENDP: lambda: works(lambda: clone(opened())),
    },
    "Components under pure privacy (delta = 0)?": {
        OURS: lambda: ours(delta=0).fit(RECORDS).guarantee_.is_pure,
        IBM: lambda: works(lambda: ibm(accountant=diffprivlib.BudgetAccountant(1, 0)).fit(RECORDS.copy())),
        OPENDP: lambda: opened().measurement().output_measure == dp.max_divergence(),
    },
    "Components under approximate privacy (delta > 0), with less noise?": {
        OURS: lambda: not ours(mechanism="gaussian", delta=1e-6).fit(RECORDS).guarantee_.is_pure,
        IBM: lambda: takes(models.PCA, "delta"),
        OPENDP: lambda: takes(OpenPCA, "delta"),
    },
    "Is the mean estimated out of the same budget, to centre?": {
        OURS: lambda: bool(np.any(ours(centred=True).fit(RECORDS).mean_)),
        IBM: lambda: takes(models.PCA, "centered"),
        OPENDP: lambda: takes(dp.sklearn.decomposition.PCAEpsilons, "mean"),
    },
    "May a known mean take the place of an estimated one?": {
        OURS: lambda: takes(DPPCA, "mean"),
        IBM: lambda: works(lambda: ibm(centered=True).fit(RECORDS.copy())),
        OPENDP: lambda: works(lambda: opened_measurement(origin=np.zeros(4), p=2, norm=1.0)),
    },
    "May `n_components` be a share of the variance?": {
        OURS: lambda: works(lambda: ours(n_components=0.9).fit(RECORDS)),
        IBM: lambda: works(lambda: ibm(n_components=0.9).fit(RECORDS.copy())),
        OPENDP: lambda: "float" in str(parameter(OpenPCA, "n_components").annotation),
    },
    "`whiten`?": {
        OURS: lambda: takes(DPPCA, "whiten"),
        IBM: lambda: takes(models.PCA, "whiten"),
        OPENDP: lambda: takes(OpenPCA, "whiten"),
    },
    "`inverse_transform`, `score`, `get_covariance`?": {
        OURS: lambda: has_all(DPPCA),
        IBM: lambda: has_all(models.PCA),
        OPENDP: lambda: has_all(OpenPCA),
    },
    "The noisy second-moment matrix itself?": {
        OURS: lambda: DPSecondMoment(epsilon=1).fit(RECORDS).second_moment_.shape == (4, 4),
        IBM: lambda: named(tools, "covariance", "moment") or named(models, "covariance", "moment"),
        OPENDP: lambda: named(dp.numpy, "private_np_sscp", "private_np_covariance", "private_np_moment"),
    },
    "Noisy variances of the components (a scree)?": {
        OURS: lambda: ours().fit(RECORDS).explained_variance_.shape == (2,),
        IBM: lambda: ibm().fit(RECORDS.copy()).explained_variance_.shape == (2,),
        OPENDP: lambda: "singular values" in str(dp.sklearn.decomposition.make_private_pca.__doc__),
    },
    "Noisy scores of the records, as histograms and by group?": {
        OURS: lambda: named(dpmatrix.estimators, "histogram", "score"),
        IBM: lambda: named(models.PCA, "histogram"),
        OPENDP: lambda: named(OpenPCA, "histogram"),
    },
    "Plots, or an application to look at them?": {
        OURS: lambda: named(dpmatrix.estimators, "plot") or named(DPPCA, "plot"),
        IBM: lambda: named(models.PCA, "plot") or named(diffprivlib, "plot"),
        OPENDP: lambda: named(OpenPCA, "plot") or named(dp, "plot"),
    },
    "Is a bound that was not given kept from being read off the data?": {
        OURS: lambda: (
            not np.isclose(float(ours().fit(RECORDS * 9).data_norm), np.linalg.norm(RECORDS * 9, axis=1).max())
        ),
        IBM: lambda: not warns_of_a_leak(lambda: ibm(data_norm=None, bounds=None).fit(RECORDS.copy())),
        OPENDP: lambda: not works(lambda: OpenPCA(epsilon=1.0, n_samples=200, n_features=4)),
    },
    "Is the neighbouring relation named?": {
        OURS: lambda: takes(DPPCA, "adjacency"),
        IBM: lambda: "neighbo" in str(models.PCA.__doc__) or takes(models.PCA, "adjacency"),
        OPENDP: lambda: opened_measurement().input_metric == dp.symmetric_distance(),
    },
    "Can it be asked what was spent?": {
        OURS: lambda: ours(epsilon=0.5).fit(RECORDS).guarantee_.epsilon == 0.5,
        IBM: lambda: _spent() == (0.5, 0),
        OPENDP: lambda: opened_measurement().map(2) > 0,
    },
    "A budget over several fits, which refuses what exceeds it?": {
        OURS: lambda: (
            not works(lambda: _twice(lambda budget: ours(budget=budget).fit(RECORDS), PrivacyBudget(epsilon=1)))
        ),
        IBM: lambda: (
            not works(
                lambda: _twice(
                    lambda budget: ibm(accountant=budget).fit(RECORDS.copy()), diffprivlib.BudgetAccountant(1, 0)
                )
            )
        ),
        OPENDP: lambda: works(lambda: _queried(1)) and not works(lambda: _queried(2)),
    },
    "The expected error, before anything is spent?": {
        OURS: lambda: ours().expected_error(200, 4) is not None,
        IBM: lambda: named(models.PCA, "expected", "accuracy"),
        OPENDP: lambda: named(OpenPCA, "expected", "accuracy"),
    },
    "Is the guarantee of components proved for what the computer draws?": {
        OURS: lambda: works(lambda: ours().fit(RECORDS).release_.integers),
        IBM: lambda: "normal(" not in inspect.getsource(diffprivlib.mechanisms.bingham),
        OPENDP: lambda: not refuses_without("idealized-numerics"),
    },
    "Runs that can be repeated, for tests?": {
        OURS: lambda: takes(DPPCA, "random_state"),
        IBM: lambda: takes(models.PCA, "random_state"),
        OPENDP: lambda: takes(OpenPCA, "random_state"),
    },
    "Streams, and windows that slide over them?": {
        OURS: lambda: callable(SlidingWindowGram.publish),
        IBM: lambda: named(tools, "window", "stream") or named(models, "window", "stream"),
        OPENDP: lambda: named(dp.numpy, "window", "stream") or named(dp.sklearn, "window", "stream"),
    },
    "Regression?": {
        OURS: lambda: named(dpmatrix.estimators, "regress"),
        IBM: lambda: named(models, "regress"),
        OPENDP: lambda: named(dp.sklearn.linear_model, "regress"),
    },
    "Classifiers, forests, clusters?": {
        OURS: lambda: named(dpmatrix.estimators, "forest", "means", "nb"),
        IBM: lambda: all(named(models, word) for word in ("forest", "means", "nb")),
        OPENDP: lambda: named(dp.sklearn, "forest", "means", "nb"),
    },
    "Counts, means, quantiles?": {
        OURS: lambda: named(dpmatrix.mechanisms, "quantile", "count"),
        IBM: lambda: all(named(tools, word) for word in ("count", "mean", "quantile")),
        OPENDP: lambda: all(named(dp.t, word) for word in ("count", "mean", "quantile")),
    },
    "Queries on data frames?": {
        OURS: lambda: named(dpmatrix.mechanisms, "frame", "polars"),
        IBM: lambda: named(tools, "frame", "polars"),
        OPENDP: lambda: hasattr(dp, "polars"),
    },
}
"""For each question of the table, by its words, what each library answers."""


def _spent() -> tuple[float, float]:
    accountant = diffprivlib.BudgetAccountant(1, 0)
    ibm(epsilon=0.5, accountant=accountant).fit(RECORDS.copy())
    return tuple(accountant.total())


def _queried(times: int) -> None:
    """Ask for noisy integers until a budget of one answer has to refuse."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    answer = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1, d_mids=[1.0])(3)
    for _ in range(times):
        answer(dp.m.make_laplace(*space, scale=1.0))


def _twice(fit: Callable[[Any], object], budget: object) -> None:
    """Fit twice for the whole budget; the second fit has to be refused."""
    fit(budget)
    fit(budget)
