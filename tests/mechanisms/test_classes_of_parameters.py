"""A mechanism on streams that is given the parameters of another kind says so, and nothing of the values."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import BandedWindowGram, BandedWindowParameters, SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

GUARANTEE = PrivacyGuarantee(1, 1e-6, Adjacency.ADD_REMOVE_ONE)
SLIDING, BANDED = WindowParameters(3, 8, GUARANTEE), BandedWindowParameters(3, 8, GUARANTEE)
WRONG = {
    "none": None,
    "a number": 3,
    "the class itself": WindowParameters,
    "the guarantee": GUARANTEE,
    "the values": {"dimension": 3, "window": 8},
    "what looks like them": SimpleNamespace(dimension=3, window=8, leaf=1, entries=6, guarantee=GUARANTEE),
}


@pytest.mark.parametrize("wrong", [BANDED, *WRONG.values()], ids=["of the other", *WRONG])
def test_a_sliding_window_takes_its_own_parameters(wrong) -> None:
    with pytest.raises(InvalidParameterError) as refused:
        SlidingWindowGram(wrong)
    assert refused.value.parameter == "parameters"
    assert f"the class {type(wrong).__name__}, not WindowParameters" in refused.value.problem
    assert refused.value.remedy == "pass an object of WindowParameters"


@pytest.mark.parametrize("wrong", [SLIDING, *WRONG.values()], ids=["of the other", *WRONG])
def test_a_banded_window_takes_its_own_parameters(wrong) -> None:
    with pytest.raises(InvalidParameterError) as refused:
        BandedWindowGram(wrong)
    assert refused.value.parameter == "parameters"
    assert f"the class {type(wrong).__name__}, not BandedWindowParameters" in refused.value.problem
    assert refused.value.remedy == "pass an object of BandedWindowParameters"


@pytest.mark.parametrize("wrong", [0, (), SlidingWindowGram(SLIDING)], ids=["zero", "empty", "a window"])
def test_a_memory_is_a_memory(wrong) -> None:
    """Also one that is false: it is not taken for none."""
    with pytest.raises(InvalidParameterError, match=f"memory: it is of the class {type(wrong).__name__}"):
        SlidingWindowGram(SLIDING, memory=wrong)


def test_parameters_of_a_subclass_are_parameters() -> None:
    class Named(WindowParameters):
        """With a name of its own."""

    class NamedBanded(BandedWindowParameters):
        """With a name of its own."""

    assert SlidingWindowGram(Named(3, 8, GUARANTEE)).time == 0
    assert BandedWindowGram(NamedBanded(3, 8, GUARANTEE)).time == 0
