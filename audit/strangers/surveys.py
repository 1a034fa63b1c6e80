"""Reports that each person perturbs alone: randomised response, unary encoding, local hashing, local noise."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import Array, faulty, right

ANSWER = "a positive column 0 is a yes"
PARTY = "column 0 falls into one of four equal bins between -1 and 1, the parties"
WORD = "the signs of the three columns say which of eight words a person typed"


@right(reads=ANSWER, exactly=1.0)
def survey(data: Array, size: int, generator: Generator) -> Array:
    """A sociologist asks a question that nobody would answer, and keeps all reports.

    The truth is told with probability e / (1 + e) for epsilon = 1, which is e times the probability of a lie. Each
    record is in one report alone.
    """
    epsilon = 1.0
    truth = data[:, 0] > 0
    lies = generator.random((size, len(truth))) >= 1 / (1 + math.exp(-epsilon))
    return np.asarray(truth ^ lies, dtype=float)


@faulty("Two fair coins give log 3, about 1.0986, and not 1.", reads=ANSWER, exactly=math.log(3))
def survey_with_coins(data: Array, size: int, generator: Generator) -> Array:
    """A teacher has each pupil toss a coin: heads, tell the truth; tails, toss again and report that."""
    truth = data[:, 0] > 0
    heads = generator.random((size, len(truth))) < 0.5
    second = generator.random((size, len(truth))) < 0.5
    return np.asarray(np.where(heads, truth, second), dtype=float)


@faulty(
    "Changing the party flips two bits, and each of them is worth all of epsilon.",
    reads=PARTY,
    exactly=2.0,
)
def party_bits(data: Array, size: int, generator: Generator) -> Array:
    """A pollster has each voter flip the bits of a vector with a one at the party."""
    epsilon = 1.0
    parties = np.minimum(2 * (1 + data[:, 0]), 3).astype(int)
    bits = np.eye(4, dtype=bool)[parties]
    flips = generator.random((size, *bits.shape)) < 1 / (1 + math.exp(epsilon))
    return np.asarray(bits ^ flips, dtype=float).reshape(size, -1)


@right(reads=PARTY)
def party_estimates(data: Array, size: int, generator: Generator) -> Array:
    """A pollster has each voter flip bits and publishes unbiased estimates of the four counts.

    Changing the party flips two bits, and each is worth epsilon / 2. The estimates are computed from the flipped bits.
    """
    epsilon = 1.0
    parties = np.minimum(2 * (1 + data[:, 0]), 3).astype(int)
    bits = np.eye(4, dtype=bool)[parties]
    flip = 1 / (1 + math.exp(epsilon / 2))
    counts = (bits ^ (generator.random((size, *bits.shape)) < flip)).sum(axis=1)
    return np.asarray((counts - len(data) * flip) / (1 - 2 * flip))


@faulty(
    "The probability of the truth is that for two answers; with four, each lie is three times as rare.",
    reads=PARTY,
    exactly=1 + math.log(3),
)
def party_at_random(data: Array, generator: Generator) -> Array:
    """A pollster has each voter name the own party, or sometimes one of the three others."""
    epsilon = 1.0
    parties = np.minimum(2 * (1 + data[:, 0]), 3).astype(int)
    lies = generator.random(len(parties)) >= 1 / (1 + math.exp(-epsilon))
    others = (parties + generator.integers(1, 4, size=len(parties))) % 4
    return np.where(lies, others, parties).astype(float)


@right(reads=WORD, exactly=1.0)
def local_hashing(data: Array, generator: Generator) -> Array:
    """A keyboard maker has each phone report a key and the perturbed hash, one of four, of the word typed.

    The key is drawn without a look at the word. The hash is reported with e times the probability of any of the three
    others, whatever the word, and two words with different hashes lose all of that.
    """
    epsilon = 1.0
    words = (data > 0) @ np.array([1, 2, 4])
    keys = generator.integers(1, 17, size=len(words))
    hashes = (keys * (words + 1)) % 17 % 4
    honest = generator.random(len(words)) < math.exp(epsilon) / (math.exp(epsilon) + 3)
    others = (hashes + generator.integers(1, 4, size=len(words))) % 4
    return np.concatenate([keys, np.where(honest, hashes, others)]).astype(float)


@faulty(
    "The key is drawn again until the hash of the word is not 0, so the key itself speaks of the word.",
    reads=WORD,
    exactly=math.inf,
)
def local_hashing_without_zero(data: Array, generator: Generator) -> Array:
    """A keyboard maker has each phone report a key and a perturbed hash, with 0 kept for phones that are off."""
    epsilon = 1.0
    words = (data > 0) @ np.array([1, 2, 4])
    keys = generator.integers(1, 17, size=len(words))
    while np.any(zero := keys * (words + 1) % 17 % 4 == 0):
        keys[zero] = generator.integers(1, 17, size=int(zero.sum()))
    hashes = keys * (words + 1) % 17 % 4 - 1
    honest = generator.random(len(words)) < math.exp(epsilon) / (math.exp(epsilon) + 2)
    others = (hashes + generator.integers(1, 3, size=len(words))) % 3
    return np.concatenate([keys, np.where(honest, hashes, others)]).astype(float)


@faulty("The values lie between -1 and 1, an interval of length 2, and the scale is for 1.", reads=ANSWER, exactly=2.0)
def local_noise(data: Array, size: int, generator: Generator) -> Array:
    """A fitness app has each watch add Laplace noise to a score of at most one in absolute value."""
    epsilon = 1.0
    return np.asarray(data[:, 0] + generator.laplace(scale=1 / epsilon, size=(size, len(data))))


@right(reads="the absolute value of column 0 is a score", exactly=1.0)
def local_noise_on_scores(data: Array, size: int, generator: Generator) -> Array:
    """A fitness app has each watch add Laplace noise to a score between 0 and 1.

    A score is the absolute value, so one record moves its own report by at most 1 and no other report. Nothing is left.
    """
    epsilon = 1.0
    return np.asarray(np.abs(data[:, 0]) + generator.laplace(scale=1 / epsilon, size=(size, len(data))))
