"""What is published from known bits, of a file and of a matrix, for the audits of files."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.files import release_file
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.randomness.entropy import SeededEntropy

SEED = 4


@frozen
class FromKnownBits:
    """Releases from the same bits, by a mechanism where none is named."""

    usual: LaplaceInputPerturbation

    def of_file(self, path: str, mechanism: Any = None, **options: Any) -> tuple[list[list[int]], object]:
        """Publish a file."""
        return _told(release_file(mechanism or self.usual, path, entropy=SeededEntropy(SEED), **options))

    def of_matrix(self, records: np.ndarray, mechanism: Any = None) -> tuple[list[list[int]], object]:
        """Publish a matrix."""
        chosen = mechanism or self.usual
        return _told(chosen.release_blocks([records], records.shape[1], entropy=SeededEntropy(SEED)))


def _told(found: Release) -> tuple[list[list[int]], object]:
    return found.integers.tolist(), found.grid
