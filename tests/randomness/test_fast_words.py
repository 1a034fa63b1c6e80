"""Words in bulk: fair, never shared, the same stream as single draws, and errors of the system that are seen."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness import fast_keystream
from dpmatrix.randomness.entropy import BUFFER_BYTES, SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_keystream import WORDS_PER_KEY, fresh_words

NEEDS_CIPHER = pytest.mark.skipif(fast_keystream._CIPHERS is None, reason="the cryptography package is absent")


@pytest.fixture(params=["cipher", "system"])
def source(request, monkeypatch):
    if request.param == "system":
        monkeypatch.setattr(fast_keystream, "_CIPHERS", None)
    elif fast_keystream._CIPHERS is None:
        pytest.skip("the cryptography package is absent")


@pytest.mark.parametrize("count", [0, 1, 2, 1000, WORDS_PER_KEY - 1, WORDS_PER_KEY, 2 * WORDS_PER_KEY + 3])
def test_as_many_words_as_asked_for(source, count):
    entropy = SystemEntropy()
    for _ in range(3):
        words = entropy.words(count)
        assert words.dtype == np.uint64
        assert words.shape == (count,)
        # Two of at most 3e5 words coincide with probability below 1e-8 / 4, and more than one pair below 1e-16.
        assert len(np.unique(words)) >= count - 1


@pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy(1)])
def test_negative_count_is_refused(entropy):
    with pytest.raises(InvalidParameterError, match="count"):
        entropy.words(-1)


def test_every_bit_of_a_word_is_fair(source):
    # Hoeffding and 64 positions: fails with probability below 1e-10.
    size = 200_000
    words = SystemEntropy().words(size)
    radius = math.sqrt(math.log(2 * 64 / 1e-10) / (2 * size))
    shares = [np.mean(words >> np.uint64(position) & np.uint64(1)) for position in range(64)]
    assert np.abs(np.array(shares) - 0.5).max() <= radius


def test_seeded_words_are_the_stream_of_single_draws():
    bulk, single = SeededEntropy(4), SeededEntropy(4)
    for count in (1, 5, BUFFER_BYTES, 3):
        assert bulk.words(count).tolist() == [single.bits(64) for _ in range(count)]
    assert bulk.bits(200) == single.bits(200)


def _words_of_parent_and_child(entropy):
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(sender, entropy.words(8).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(sender)
    theirs = np.frombuffer(os.read(receiver, 64), dtype=np.uint64)
    os.close(receiver)
    return entropy.words(8), theirs


def test_child_process_does_not_replay_the_parents_words(source):
    # Independent words coincide with probability 2**-512.
    entropy = SystemEntropy()
    entropy.words(8)
    mine, theirs = _words_of_parent_and_child(entropy)
    assert (mine != theirs).any()


def test_control_words_without_owner_are_replayed():
    mine, theirs = _words_of_parent_and_child(SeededEntropy(2))
    assert (mine == theirs).all()


def test_threads_and_calls_never_share_words(source):
    # 2**18 pairs of words, 128 bits each: two coincide with probability below 2**-92.
    entropy = SystemEntropy()
    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda _: [entropy.words(1 << 12) for _ in range(8)], range(16)))
    pairs = np.concatenate([words for batch in batches for words in batch]).reshape(-1, 2)
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_a_caller_may_overwrite_its_words(source):
    entropy = SystemEntropy()
    entropy.words(100)[:] = 0
    # A word is zero with probability 2**-64.
    assert entropy.words(100).all()


@NEEDS_CIPHER
def test_keys_are_renewed(monkeypatch):
    asked = []
    genuine = os.urandom
    monkeypatch.setattr(os, "urandom", lambda size: asked.append(size) or genuine(size))
    fresh_words(3 * WORDS_PER_KEY + 1)
    assert asked == [16 + 48] * 4


@NEEDS_CIPHER
def test_the_stream_is_aes_in_counter_mode(monkeypatch):
    # NIST SP 800-38A, F.5.5: the key stream is the encryption of the counter, here of the first two counters.
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    counter = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    tag = os.urandom(16)
    monkeypatch.setattr(os, "urandom", lambda size: (tag + key + counter)[:size])
    stream = bytes.fromhex("0bdf7df1591716335e9a8b15c860c5025a6e699d536119065433863c8f657b94")
    assert fresh_words(4).tobytes() == stream


@pytest.mark.parametrize("failure", [OSError("no device"), NotImplementedError("no generator")])
@pytest.mark.parametrize("draw", [lambda e: e.words(4), lambda e: e.words(WORDS_PER_KEY), lambda e: e.bits(4)])
def test_a_failing_system_is_a_typed_error(source, monkeypatch, failure, draw):
    def urandom(size):
        raise failure

    monkeypatch.setattr(os, "urandom", urandom)
    with pytest.raises(EntropyError, match="no random bytes"):
        draw(SystemEntropy())


@pytest.mark.parametrize("draw", [lambda e: e.words(4), lambda e: e.bits(4)])
def test_a_system_that_runs_short_is_a_typed_error(source, monkeypatch, draw):
    monkeypatch.setattr(os, "urandom", lambda size: bytes(size - 1))
    with pytest.raises(EntropyError, match="instead of"):
        draw(SystemEntropy())
