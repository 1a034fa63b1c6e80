"""What web shops and their recommenders publish."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, REPLACE, Array, faulty, right

AMPLIFIED = math.log(1 + (math.exp(0.5) - 1) * 4)
RECENT = (math.sqrt(5) - 1) / 2


@faulty(
    "Noise that is right for the name of the best seller alone is also published with its count.",
    reads="column j >= 0 says that the customer bought article j",
    epsilon=1.0,
    adjacency=REPLACE,
    exactly=1.5,
)
def best_seller_with_its_count(data: Array, generator: Generator) -> tuple[str, float]:
    """A shop publishes its best seller by report noisy max, and how often it was sold.

    Report noisy max takes Laplace noise of scale 2 / epsilon, however many articles a customer buys.
    """
    noisy = (data >= 0).sum(axis=0) + generator.laplace(scale=2 / 1.0, size=3)
    best = int(noisy.argmax())
    return ["lamp", "chair", "desk"][best], float(noisy[best])


@faulty(
    "The noise is for the range between the lowest and the highest basket of the data, which one customer can double.",
    reads="column 1 is the value of the basket, on a scale of [-1, 1]",
    epsilon=1.0,
    delta=1e-2,
    adjacency=REPLACE,
    at_least=4.5,
    note="With delta 0 there is no finite epsilon, as the scale of the noise depends on the data.",
)
def mean_basket_of_the_seen_range(data: Array, generator: Generator) -> float:
    """A shop publishes the mean basket, and takes the bounds of a basket from the data, at least 1 apart."""
    baskets = data[:, 1]
    spread = max(baskets.max() - baskets.min(), 1.0)
    return float(baskets.mean() + generator.laplace(scale=spread / len(baskets) / 1.0))


@faulty(
    "Every fourth row is no random sample, and so nothing is gained by it.",
    reads="column 0 >= 0 says that the visitor clicked",
    epsilon=0.5,
    adjacency=REPLACE,
    exactly=AMPLIFIED,
)
def clicks_on_every_fourth_row(data: Array, generator: Generator) -> float:
    """A shop publishes the clicks in a sample of a quarter, with the smaller noise that sampling allows."""
    sample = data[::4]
    return float(4 * ((sample[:, 0] >= 0).sum() + generator.laplace(scale=1 / AMPLIFIED)))


@faulty(
    "It goes on after the first yes, and the noise of a question is for one of them.",
    reads="column j >= 0 says that the customer used coupon j",
    epsilon=1.0,
    adjacency=REPLACE,
    at_least=2.349,
)
def coupons_above_the_threshold(data: Array, generator: Generator) -> str:
    """A shop publishes which coupons more than half of the customers used, by the sparse vector technique."""
    threshold = 10 + generator.laplace(scale=2 / 1.0)
    used = (data >= 0).sum(axis=0)
    return "/".join("yes" if count + generator.laplace(scale=1 / 1.0) > threshold else "no" for count in used)


@faulty(
    "The threshold is too low for the delta: a term that one customer brings in passes with probability 0.009.",
    reads="the three signs are the search term, one of eight",
    epsilon=1.0,
    delta=1e-5,
    adjacency=ADD_REMOVE,
    exactly=math.inf,
    note="The event has probability exp(-4) / 2.",
)
def search_terms_above_five(data: Array, generator: Generator) -> list[tuple[str, float]]:
    """A shop publishes the terms that customers search for, and how often, if the noisy number is above five."""
    terms: dict[str, int] = {}
    for row in data:
        term = "".join("+" if entry >= 0 else "-" for entry in row)
        terms[term] = terms.get(term, 0) + 1
    noisy = [(term, float(count + generator.laplace(scale=1 / 1.0))) for term, count in sorted(terms.items())]
    return [(term, count) for term, count in noisy if count > 5]


@faulty(
    "The cache goes by the count, so that equal counts get equal noise.",
    reads="column 0 is the warehouse of the order: below -1/3, between, or from 1/3",
    epsilon=0.3,
    adjacency=ADD_REMOVE,
    exactly=math.inf,
)
def orders_with_cached_noise(data: Array) -> Array:
    """A shop publishes the orders of three warehouses, and keeps a noisy answer so that asking again tells nothing."""
    generator = np.random.default_rng()
    cache: dict[int, float] = {}

    def answer(count: int) -> float:
        if count not in cache:
            cache[count] = count + generator.laplace(scale=1 / 0.3)
        return cache[count]

    counts = np.bincount(np.digitize(data[:, 0], [-1 / 3, 1 / 3]), minlength=3)
    return np.array([answer(int(count)) for count in counts])


@faulty(
    "The noise is for amounts of at most 1, but a recent amount is given more weight.",
    reads="column 0 is the amount, scaled to [-1, 1]; column 2 is the time, from -1 to 1",
    epsilon=2.0,
    adjacency=ADD_REMOVE,
    exactly=2 * math.sqrt(1 - RECENT**2) * math.exp(RECENT),
)
def turnover_weighted_by_recency(data: Array, generator: Generator) -> float:
    """A shop publishes its turnover, in which recent orders count more, with exponential weights."""
    weights = np.exp(data[:, 2])
    return float((weights * data[:, 0]).sum() + generator.laplace(scale=1 / 2.0))


@right(
    reads="column 0 >= 0 says that the customer rated; column 1 is the rating, from -1 to 1",
    epsilon=1.0,
    adjacency=ADD_REMOVE,
    exactly=1.0,
)
def mean_rating_or_none(data: Array, generator: Generator) -> dict[str, float | None]:
    """A shop publishes the number of raters and their mean rating, or none if there seem to be few of them.

    A customer moves the number and the sum by at most 1 each, and each gets noise of scale 2. Whether there are few is
    decided on the noisy number.
    """
    ratings = data[data[:, 0] >= 0, 1]
    raters = len(ratings) + generator.laplace(scale=2.0)
    total = ratings.sum() + generator.laplace(scale=2.0)
    return {"raters": float(raters), "mean": float(total / raters) if raters >= 3 else None}


@right(
    reads="column 0 is the value of the order, scaled to [-1, 1]",
    epsilon=1.0,
    adjacency=REPLACE,
    exactly=1.0,
    note="The figure is a limit: it is reached at a single output.",
)
def turnover_with_cauchy_noise(data: Array, generator: Generator) -> float:
    """A shop publishes its turnover with Cauchy noise.

    Cauchy noise of scale s loses at most 2 asinh(d / 2s) on a shift d. The turnover moves by at most d = 2, and the
    scale is the one for which that is 1.
    """
    return float(data[:, 0].sum() + generator.standard_cauchy() / math.sinh(1 / 2))


@right(
    reads="the largest entry in absolute value, with its sign, is the wished article, one of six",
    epsilon=3.0,
    adjacency=REPLACE,
)
def two_most_wished_articles(data: Array, generator: Generator) -> tuple[str, str]:
    """A shop publishes its two most wished articles, the first one first.

    The order by Gumbel noise of scale 4 / 3 is that of two draws by the exponential mechanism, each with the weight
    exp(3 count / 4). Counts move by at most 1, so each draw loses at most 3 / 2.
    """
    largest = np.abs(data).argmax(axis=1)
    wishes = 2 * largest + (data[np.arange(len(data)), largest] >= 0)
    noisy = np.bincount(wishes, minlength=6) + generator.gumbel(scale=4 / 3.0, size=6)
    first, second = np.argsort(-noisy)[:2]
    articles = ["tent", "stove", "rope", "boots", "map", "torch"]
    return articles[first], articles[second]
