"""Run with an interpreter that has diffprivlib or opendp: private principal components, and their CPU time.

``python peer_components.py LIBRARY FOLDER EPSILON RANK SECONDS`` reads every ``train-*.npy`` of the folder, records of
norm at most 1 about the known origin 0, writes ``found-*.npy`` with the components as rows, and prints the CPU time of
each as a line. It is ended when it has used that much CPU time. Both libraries promise (epsilon, 0) for a replaced
record.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np


def diffprivlib_components(data: np.ndarray, epsilon: float, rank: int) -> np.ndarray:
    from diffprivlib.models import PCA

    return PCA(n_components=rank, epsilon=epsilon, data_norm=1.0, centered=True).fit(data).components_


def opendp_components(data: np.ndarray, epsilon: float, rank: int) -> np.ndarray:
    from peer_principal_components import opendp_measurement

    measurement = opendp_measurement(data, epsilon, rank)
    # A replaced record is two changes: one removed, one added.
    if not np.isclose(measurement.map(2), epsilon):
        raise ValueError(f"the promise is {measurement.map(2)}")
    return measurement(data).Vt


LIBRARIES = {"diffprivlib": diffprivlib_components, "opendp": opendp_components}


def main(library: str, folder: str, epsilon: str, rank: str, bound: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(bound), int(bound)))
    warnings.simplefilter("ignore")
    for path in sorted(Path(folder).glob("train-*.npy")):
        data = np.load(path)
        start = time.process_time()
        found = LIBRARIES[library](data, float(epsilon), int(rank))
        seconds = time.process_time() - start
        np.save(path.with_name(path.name.replace("train", "found")), found)
        print(seconds, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
