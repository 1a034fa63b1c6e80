"""Run with an interpreter that has diffprivlib or opendp: first principal components, CPU time and variance.

``python peer_principal_components.py LIBRARY DATA.npy EPSILON RUNS SECONDS`` prints a line of JSON for every run, until
it is ended when the runs have used that much CPU time. Importing the libraries does not count. Records have norm at
most 1 and mean about zero. Both libraries spend part of epsilon on eigenvalues, and opendp on a mean too; ``-vector``
gives their sampler of the direction all of it.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import warnings

import numpy as np


def diffprivlib_pca(data: np.ndarray, epsilon: float) -> np.ndarray:
    from diffprivlib.models import PCA

    return PCA(n_components=1, epsilon=epsilon, data_norm=1.0, centered=True).fit(data).components_[0]


def diffprivlib_vector(data: np.ndarray, epsilon: float) -> np.ndarray:
    from diffprivlib.mechanisms import Bingham

    return Bingham(epsilon=epsilon, sensitivity=1.0).randomise(data.T @ data)


def opendp_prelude():
    """Import it with numpy's generator: it asks for another package, which only hands out the system's bits."""
    import opendp._lib
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point", "idealized-numerics")
    opendp._lib._np_csprng = np.random.default_rng()
    return dp


def opendp_pca(data: np.ndarray, epsilon: float) -> np.ndarray:
    dp = opendp_prelude()
    from opendp.extras.sklearn.decomposition import make_private_pca

    domain = dp.numpy.array2_domain(num_columns=data.shape[1], size=len(data), T=float)
    return np.ravel(make_private_pca(domain, dp.symmetric_distance(), epsilon / 2, 1.0, 1)(data).Vt)


def opendp_vector(data: np.ndarray, epsilon: float) -> np.ndarray:
    dp = opendp_prelude()
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector

    domain = _sscp_domain(num_features=data.shape[1], norm=1.0, size=len(data), p=2, T=float)
    return np.ravel(make_private_eigenvector(domain, dp.symmetric_distance(), epsilon)(data.T @ data))


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
        direction = LIBRARIES[library](data, float(epsilon))
        seconds = time.process_time() - start
        direction = direction / np.linalg.norm(direction)
        found = {"seconds": seconds, "captured": float(direction @ moment @ direction / largest)}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
