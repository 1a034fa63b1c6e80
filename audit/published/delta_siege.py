"""The mechanisms on which Delta-Siege was measured, whose fault is noise in floating point.

Lokna, Paradis, Dimitrov and Vechev (2023), repository eth-sri/Delta-Siege: one number with Laplace or normal noise, by
samplers of their own, whose uniform numbers have 32 bits, and by those of libraries; and counts with normal noise.
Inputs and claims are among those of their experiments: the numbers 0 and 1, epsilon 1, and delta 0.001 of normal noise,
of the classic deviation but where a library has a better one; of counts a table and epsilon 3. The tail of the ziggurat
is that of Marsaglia and Tsang.

The samplers of libraries are written from what the libraries say of them, as they were at the time. Not here: the noise
of OpenDP, which is exact and rounded once, normal noise of PyDP, and what AIM and MST make of their counts.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial

import numpy as np

from audit.peers.claims import FEW_STEPS, Claims, classic, concentrated_delta, integer_delta, least, normal_delta
from audit.published import float_noise, words
from audit.published.mechanisms import first_columns
from audit.published.record import ADD_REMOVE, FloatArray, Input, Published, Truth, answers
from audit.published.words import finer
from audit.strangers.truth import gaussian_epsilon
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace

EPSILON, DELTA = 1.0, 1e-3
BITS, DOUBLE, GRID_BITS = 32, 53, 40
CLASSIC = math.sqrt(2 * math.log(1.25 / DELTA)) / EPSILON
REACH = 40
INPUTS = (answers("0 and 1", [0.0], [1.0]),)
COLUMNS, ROUNDS, SMALL_DELTA = 10, 160, 1e-6
TABLES = (Input("ten ones join", np.zeros((2, COLUMNS)), np.repeat([[0.0], [0.0], [1.0]], COLUMNS, axis=1)),)
PAPER = "Lokna et al. 2023"


@cache
def analytic() -> float:
    """Return the least deviation of normal noise, up to 1e-9, that keeps the claim over the real numbers."""
    low, high = 0.1, CLASSIC
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_epsilon(1.0, middle, DELTA) > EPSILON else (low, middle)
    return high


def discrete_epsilon(variance: Fraction, delta: float) -> float:
    """Return the least epsilon at which a discrete Gaussian hides a shift by 1, from sums over the integers."""
    places = range(-REACH, REACH + 1)
    weights = [math.exp(-(place**2) / (2 * variance)) for place in places]
    chances = [weight / math.fsum(weights) for weight in weights]
    low, high = 0.0, 20.0
    while high - low > 1e-12:
        epsilon = (low + high) / 2
        # Beyond the sums there is less than 1e-30 for the variances here.
        excess = math.fsum(
            max(0.0, own - math.exp(epsilon) * next_one)
            for own, next_one in zip(chances, [*chances[1:], 0.0], strict=True)
        )
        low, high = (low, epsilon) if excess <= delta else (epsilon, high)
    return high


@cache
def discrete_variance() -> Fraction:
    """Return the least variance, up to 2^-20, of a discrete Gaussian that keeps the claim."""
    low, high = Fraction(1), Fraction(16)
    while high - low > Fraction(1, 2**20):
        middle = (low + high) / 2
        low, high = (middle, high) if discrete_epsilon(middle, DELTA) > EPSILON else (low, middle)
    return high


def _entropy(generator: np.random.Generator) -> SeededEntropy:
    return SeededEntropy(int(generator.integers(2**62)))


def on_a_grid(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Round the number to the grid of 2^-40, and add a discrete Laplace variate in units of the grid."""
    unit = 2.0**-GRID_BITS
    place = round(float(data[0, 0]) / unit)
    return np.asarray(unit * (place + discrete_laplace(2**GRID_BITS, (size,), _entropy(generator))), dtype=np.float64)


def on_the_integers(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Add a discrete Gaussian variate to an integer."""
    drawn = discrete_gaussian(discrete_variance(), (size,), _entropy(generator))
    return np.asarray(round(float(data[0, 0])) + drawn, dtype=np.float64)


@cache
def concentrated(epsilon: float, delta: float) -> float:
    """Return a rho that gives the claim, by the bound of Canonne, Kamath and Steinke (2020)."""
    orders = 1 + np.logspace(-2, 4, 4000)
    low, high = 0.0, epsilon
    while high - low > 1e-9:
        rho = (low + high) / 2
        logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1)
        low, high = (rho, high) if float(logs.min()) <= math.log(delta) else (low, rho)
    return low


def mst_deviation() -> float:
    """Return the deviation of each of ten counts that share a third of rho."""
    return math.sqrt(COLUMNS * 3 / (2 * concentrated(3.0, SMALL_DELTA)))


def aim_deviation() -> float:
    """Return the deviation of each measurement of so many rounds, which share nine tenths of rho."""
    return math.sqrt(ROUNDS / (2 * 0.9 * concentrated(3.0, SMALL_DELTA)))


def of_counts() -> Claims:
    """Return what concentrated privacy claims of the noise on counts, with all of rho."""
    return least(concentrated_delta, 1 / concentrated(3.0, SMALL_DELTA), 1e4, FEW_STEPS)


_float = partial(
    Published,
    epsilon=EPSILON,
    domain="one number, which a change of the data moves by at most 1",
    inputs=INPUTS,
    fault="noise and sum are floats of double precision",
    low_bits=True,
)
_normal = partial(_float, delta=DELTA, noise_claims=lambda: classic(CLASSIC))
_tables = partial(
    _float,
    epsilon=3.0,
    delta=SMALL_DELTA,
    relation=ADD_REMOVE,
    domain="records of ten bits",
    inputs=TABLES,
    compact=first_columns(1),
    noise_claims=of_counts,
)
_added = float_noise.added

RECORDS = (
    _float(
        name="delta-siege/laplace-inversion",
        source=f"{PAPER}, LaplaceInversion",
        summary="Laplace noise by inversion, from a uniform number of 32 bits and a sign",
        mechanism=_added(float_noise.laplace(1 / EPSILON, BITS)),
        truth=lambda: finer(words.laplace(1 / EPSILON, BITS), 0.0),
    ),
    _float(
        name="delta-siege/laplace-diffprivlib",
        source=f"{PAPER}, LaplaceIBM: diffprivlib 0.6.2, after Holohan and Braghin 2021",
        summary="Laplace noise from four uniform numbers",
        mechanism=_added(float_noise.laplace_of_four(1 / EPSILON)),
        truth=lambda: finer(words.laplace_of_four(1 / EPSILON), 0.0),
    ),
    _float(
        name="delta-siege/laplace-pydp",
        source=f"{PAPER}, LaplacePyDP: Google's library, Secure Noise Generation",
        summary="a number rounded to a grid of 2^-40, with discrete Laplace noise on the grid",
        fault="",
        mechanism=on_a_grid,
        truth=lambda: Truth(1 / EPSILON, exact=True, how="closed form: the shift over the scale, both on the grid"),
    ),
    _normal(
        name="delta-siege/gaussian-box-muller",
        source=f"{PAPER}, GaussBoxMuller",
        summary="normal noise by Box and Muller, from uniform numbers of 32 bits",
        mechanism=_added(float_noise.box_muller(CLASSIC, BITS)),
        truth=lambda: finer(words.box_muller(CLASSIC, BITS), DELTA),
    ),
    _normal(
        name="delta-siege/gaussian-polar",
        source=f"{PAPER}, GaussPolar",
        summary="normal noise by the polar method, from uniform numbers of 32 bits",
        mechanism=_added(float_noise.polar(CLASSIC, BITS)),
        truth=lambda: finer(words.polar(CLASSIC, BITS), DELTA),
    ),
    _normal(
        name="delta-siege/gaussian-ziggurat",
        source=f"{PAPER}, GaussZiggurat",
        summary="normal noise by a ziggurat, from uniform numbers of 32 bits",
        mechanism=_added(float_noise.ziggurat(CLASSIC, BITS)),
        truth=lambda: finer(words.ziggurat(CLASSIC, BITS), DELTA),
    ),
    _normal(
        name="delta-siege/gaussian-diffprivlib",
        source=f"{PAPER}, GaussIBM: diffprivlib 0.6.2, Gaussian",
        summary="normal noise from two normal numbers",
        mechanism=_added(float_noise.two_normals(CLASSIC)),
        truth=lambda: finer(words.two_normals(CLASSIC), DELTA),
    ),
    _normal(
        name="delta-siege/gaussian-analytic-diffprivlib",
        source=f"{PAPER}, GaussIBMAnalytical: diffprivlib 0.6.2, GaussianAnalytic",
        summary="normal noise of the least deviation, from two normal numbers",
        mechanism=_added(float_noise.two_normals(analytic())),
        noise_claims=lambda: least(normal_delta, analytic(), 1e6),
        truth=lambda: finer(words.two_normals(analytic()), DELTA),
    ),
    _normal(
        name="delta-siege/gaussian-discrete-diffprivlib",
        source=f"{PAPER}, GaussIBMDiscrete: diffprivlib 0.6.2, GaussianDiscrete",
        summary="an integer with discrete Gaussian noise",
        domain="one integer, which a change of the data moves by at most 1",
        fault="",
        mechanism=on_the_integers,
        noise_claims=lambda: least(integer_delta, float(discrete_variance()), 100.0),
        truth=lambda: Truth(discrete_epsilon(discrete_variance(), DELTA), exact=True, how="sums over the integers"),
    ),
    _normal(
        name="delta-siege/gaussian-opacus",
        source=f"{PAPER}, GaussOpacus: Opacus, secure_mode",
        summary="half of the sum of four normal numbers, in single precision",
        fault="noise and sum are floats of single precision",
        mechanism=_added(float_noise.four_singles(CLASSIC), single=True),
        truth=lambda: finer(words.four_singles(CLASSIC), DELTA, single=True),
    ),
    _tables(
        name="delta-siege/mst-marginals",
        source=f"{PAPER}, MSTInternal: McKenna et al. 2021, the first measurements of MST",
        summary="ten counts with normal noise for a third of what the claim allows",
        mechanism=_added(float_noise.columns(float_noise.polar(mst_deviation(), DOUBLE), COLUMNS)),
        truth=lambda: finer(words.polar(mst_deviation(), DOUBLE), SMALL_DELTA),
    ),
    _tables(
        name="delta-siege/aim-marginals",
        source=f"{PAPER}, AIMInternal: McKenna et al. 2022, the first measurements of AIM",
        summary="ten counts with normal noise for a part of what the claim allows",
        mechanism=_added(float_noise.columns(float_noise.polar(aim_deviation(), DOUBLE), COLUMNS)),
        truth=lambda: finer(words.polar(aim_deviation(), DOUBLE), SMALL_DELTA),
    ),
)
