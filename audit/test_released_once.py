"""Noise that is under way is used by one object: what shared it with another would publish differences of rows alone.

Nothing here is statistical. Every other way to come to two objects (forks, copies, links, threads) is tried in
`test_window_single_use.py` and `test_window_counter.py` of `tests/mechanisms`; these are the ways that the public
functions open themselves.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from audit.released.windows import GUARANTEE, ROW, SMALL, begun
from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms import OnlinePerturbedLeader
from dpmatrix.mechanisms.streams import SlidingWindowGram, resume, suspend
from dpmatrix.privacy import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SeededEntropy, SystemEntropy

USES: dict[str, Callable[[SlidingWindowGram, Any], object]] = {
    "add": lambda window, _: window.add(ROW),
    "publish": lambda window, _: window.publish(),
    "suspend": lambda window, folder: suspend(window, folder / "again"),
}


LEADER = OnlinePerturbedLeader(1, GUARANTEE.adjacency, steps=2, delta=GUARANTEE.delta)


def test_a_stream_is_published_by_the_process_that_began_it() -> None:
    """A child that went on with the same bits would publish what its parent does, of other rows."""
    stream = LEADER.releases([[0.5, 0.5], [0.0, 0.5]], 2)
    next(stream)
    child = os.fork()
    if child == 0:
        try:
            next(stream)
        except SingleUseError:
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert next(stream).guarantee == GUARANTEE, "control"


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_stream_answers_no_more_rows_than_its_noise_is_for(steps: int) -> None:
    """The control is a stream of just so many rows."""
    leader = evolve(LEADER, steps=steps)
    assert len(leader.release([[0.5, 0.5]] * steps)) == steps, "control"
    with pytest.raises(InvalidParameterError, match="more than"):
        leader.release([[0.5, 0.5]] * (steps + 1))
    for bad in (0, -1, 1.5, True):
        with pytest.raises(InvalidParameterError):
            evolve(LEADER, steps=bad)


@pytest.mark.parametrize("secret_afterwards", [True, False])
@pytest.mark.parametrize("key", [None, b"a key"])
def test_noise_from_known_bits_is_never_promised_afterwards(tmp_path, key, secret_afterwards: bool) -> None:
    """A window keeps noise over a suspension, and over the next one; the control has secret bits all along."""

    def promises(first: Entropy, later: Entropy) -> list[PrivacyGuarantee | None]:
        window, found = SlidingWindowGram(SMALL, entropy=first), []
        for _ in range(3):
            window.add(ROW * 4)
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
    window = begun()
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
    window = begun()
    suspend(window, file)
    kept = file.read_bytes()
    resume(file).add(ROW)
    assert not file.exists()
    file.write_bytes(kept)
    with pytest.raises(SingleUseError):
        resume(file)


@pytest.mark.parametrize("taken_away", ["nothing", "the directory", "the content of the counter"])
def test_a_file_with_a_counter_is_resumed_once_wherever_its_copies_are(tmp_path, taken_away: str) -> None:
    """The control has no counter: then the copy in another directory goes on with the same noise."""

    def attempts(name: str, counter: Path | None) -> tuple[SlidingWindowGram, Callable[[], SlidingWindowGram]]:
        here, there = tmp_path / name, tmp_path / f"{name}, copied"
        here.mkdir()
        window = begun()
        suspend(window, here / "window", counter=counter)
        shutil.copytree(here, there)
        resumed = resume(here / "window", counter=counter)
        if taken_away == "the directory":
            shutil.rmtree(here)
            there.rename(here)
            there = here
        if taken_away == "the content of the counter" and counter is not None:
            counter.write_bytes(b"")
        return resumed, lambda: resume(there / "window", counter=counter)

    resumed, again = attempts("counted", tmp_path / "counter")
    with pytest.raises(SingleUseError):
        again()
    resumed.add(ROW)
    resumed, again = attempts("not counted", None)
    assert again().memory == resumed.memory, "control"


def test_a_file_with_a_counter_is_not_resumed_without_it(tmp_path) -> None:
    """It is the first attempt: nothing but what the file says of itself can refuse it."""
    suspend(SlidingWindowGram(SMALL), tmp_path / "window", counter=tmp_path / "counter")
    with pytest.raises(InvalidParameterError, match="counter"):
        resume(tmp_path / "window")
    resume(tmp_path / "window", counter=tmp_path / "counter").add(ROW)
