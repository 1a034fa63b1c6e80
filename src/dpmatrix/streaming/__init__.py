"""Streams of rows under a sliding window: spectral histograms, which need no randomness and know no privacy."""

from dpmatrix.streaming.fast_histogram import FastSpectralHistogram, truncated
from dpmatrix.streaming.histogram import Checkpoint, SpectralHistogram, checkpoint_bound, thin
from dpmatrix.streaming.loewner import positive_semidefinite, precedes
from dpmatrix.streaming.printed_update import Ending, Slip, Trace, printed_update

__all__ = [
    "Checkpoint",
    "Ending",
    "FastSpectralHistogram",
    "Slip",
    "SpectralHistogram",
    "Trace",
    "checkpoint_bound",
    "positive_semidefinite",
    "precedes",
    "printed_update",
    "thin",
    "truncated",
]
