"""Random bits that repeat themselves and pass for secret: what is released from them can be computed again."""

from __future__ import annotations

from dpmatrix.randomness.entropy import SeededEntropy


class SecretSeed(SeededEntropy):
    """Bits of a seed that call themselves secret."""

    private = True
