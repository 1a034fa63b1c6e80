"""Run with an interpreter that has diffprivlib or opendp: first principal components, CPU time and variance.

``python peer_principal_components.py LIBRARY DATA.npy EPSILON RUNS SECONDS`` prints a line of JSON for every run, until
it is ended when the runs have used that much CPU time. Importing the libraries does not count.

Every library is told the same: records have norm at most 1 about the known origin 0, epsilon is for a replaced record.
Both spend half of it on all eigenvalues, which they publish beside the direction; ``-vector`` gives their sampler of
the direction all of it. A line says which epsilon was spent: for opendp that is what the measurement's own map says.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import warnings

import numpy as np


def diffprivlib_pca(data: np.ndarray, epsilon: float) -> tuple[np.ndarray, float]:
    from diffprivlib.models import PCA

    model = PCA(n_components=1, epsilon=epsilon, data_norm=1.0, centered=True).fit(data)
    return model.components_[0], model.epsilon


def diffprivlib_vector(data: np.ndarray, epsilon: float) -> tuple[np.ndarray, float]:
    from diffprivlib.mechanisms import Bingham

    mechanism = Bingham(epsilon=epsilon, sensitivity=1.0)
    return mechanism.randomise(data.T @ data), mechanism.epsilon


def opendp_prelude():
    """Import it; it draws vectors with randomgen, from the bits of the system."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point", "idealized-numerics")
    return dp


def opendp_measurement(data: np.ndarray, epsilon: float, rank: int):
    """Return principal components of records about the known origin 0, as a measurement."""
    dp = opendp_prelude()
    from opendp.extras.sklearn.decomposition import make_private_pca

    origin = np.zeros(data.shape[1])
    domain = dp.numpy.array2_domain(num_columns=data.shape[1], size=len(data), T=float, norm=1.0, p=2, origin=origin)
    return make_private_pca(domain, dp.symmetric_distance(), epsilon, 1.0, rank)


def opendp_pca(data: np.ndarray, epsilon: float) -> tuple[np.ndarray, float]:
    measurement = opendp_measurement(data, epsilon, 1)
    # A replaced record is two changes: one removed, one added.
    return np.ravel(measurement(data).Vt), measurement.map(2)


def opendp_vector(data: np.ndarray, epsilon: float) -> tuple[np.ndarray, float]:
    dp = opendp_prelude()
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector

    domain = _sscp_domain(num_features=data.shape[1], norm=1.0, size=len(data), p=2, T=float)
    measurement = make_private_eigenvector(domain, dp.symmetric_distance(), epsilon)
    return np.ravel(measurement(data.T @ data)), measurement.map(2)


LIBRARIES = {
    "diffprivlib": diffprivlib_pca,
    "diffprivlib-vector": diffprivlib_vector,
    "opendp": opendp_pca,
    "opendp-vector": opendp_vector,
}


def warm_up(library: str) -> None:
    """Import what the library imports, on data that any sampler is done with at once."""
    few = np.random.default_rng(0).standard_normal((10, 2)) / 10
    LIBRARIES[library](few, 1e-3)


def main(library: str, path: str, epsilon: str, runs: str, bound: str) -> None:
    warnings.simplefilter("ignore")
    data = np.load(path)
    moment = data.T @ data
    largest = np.linalg.eigvalsh(moment)[-1]
    warm_up(library)
    limit = int(time.process_time()) + 1 + int(bound)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    for _ in range(int(runs)):
        start = time.process_time()
        direction, spent = LIBRARIES[library](data, float(epsilon))
        seconds = time.process_time() - start
        direction = direction / np.linalg.norm(direction)
        captured = float(direction @ moment @ direction / largest)
        found = {"seconds": seconds, "captured": captured, "epsilon": spent}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
