"""Noise that is under way is used by one object: what shared it with another would publish differences of rows alone.

Nothing here is statistical. Every other way to come to two objects (forks, copies, links, threads) is tried in
`tests/mechanisms/test_window_single_use.py`; these are the ways that the public functions open themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpmatrix.errors import SingleUseError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SeededEntropy, SystemEntropy

GUARANTEE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
PARAMETERS = WindowParameters(2, 12, GUARANTEE, leaf=3)
ROWS = [[0.5, 0.5]]
USES: dict[str, Callable[[SlidingWindowGram, Any], object]] = {
    "add": lambda window, _: window.add(ROWS),
    "publish": lambda window, _: window.publish(),
    "suspend": lambda window, folder: suspend(window, folder / "again"),
}


@pytest.mark.parametrize("secret_afterwards", [True, False])
@pytest.mark.parametrize("key", [None, b"a key"])
def test_noise_from_known_bits_is_never_promised_afterwards(tmp_path, key, secret_afterwards: bool) -> None:
    """A window keeps noise over a suspension, and over the next one; the control has secret bits all along."""

    def promises(first: Entropy, later: Entropy) -> list[PrivacyGuarantee | None]:
        window, found = SlidingWindowGram(PARAMETERS, entropy=first), []
        for _ in range(3):
            window.add(ROWS * 4)
            found += [window.publish().guarantee, window.guarantee]
            suspend(window, tmp_path / "window", key=key)
            window = resume(tmp_path / "window", key=key, entropy=later)
        return found

    secret, known = SystemEntropy(), SeededEntropy(1)
    order = (known, secret) if secret_afterwards else (secret, known)
    expected = [None] * 6 if secret_afterwards else [GUARANTEE] * 2 + [None] * 4
    assert promises(*order) == expected
    assert promises(secret, SystemEntropy()) == [GUARANTEE] * 6, "control"


@pytest.mark.parametrize("use", USES)
def test_a_suspended_window_is_used_no_more(tmp_path, use: str) -> None:
    """The control is the window that goes on from the file."""
    window = SlidingWindowGram(PARAMETERS)
    window.add(ROWS * 4)
    suspend(window, tmp_path / "window")
    with pytest.raises(SingleUseError):
        USES[use](window, tmp_path)
    assert not (tmp_path / "again").exists()
    resumed = resume(tmp_path / "window")
    USES[use](resumed, tmp_path)
    with pytest.raises(SingleUseError):
        USES[use](window, tmp_path)


def test_a_file_is_resumed_once(tmp_path) -> None:
    """Also when a copy was kept and is put back."""
    file = tmp_path / "window"
    window = SlidingWindowGram(PARAMETERS)
    window.add(ROWS * 4)
    suspend(window, file)
    kept = file.read_bytes()
    resume(file).add(ROWS)
    assert not file.exists()
    file.write_bytes(kept)
    with pytest.raises(SingleUseError):
        resume(file)
