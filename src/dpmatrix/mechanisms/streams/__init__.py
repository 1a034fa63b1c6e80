"""Mechanisms on streams: what they publish at every time is covered by one guarantee."""

from dpmatrix.mechanisms.streams.banded_window import BandedWindowGram, BandedWindowParameters
from dpmatrix.mechanisms.streams.counter import MonotonicCounter
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.mechanisms.streams.state import resume, suspend
from dpmatrix.mechanisms.streams.window import SlidingWindowGram

__all__ = [
    "BandedWindowGram",
    "BandedWindowParameters",
    "MonotonicCounter",
    "SlidingWindowGram",
    "WindowParameters",
    "resume",
    "suspend",
]
