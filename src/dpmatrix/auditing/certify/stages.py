"""A confirmation in growing stages: their sizes, and their shares of the failure probability.

*Theorem.* Let one event have probability p under P and q under Q, and let the counts after stage k be those of the
first n_k of independent samples. If stage k reports Clopper-Pearson bounds that are wrong with probability at most a_k,
and the a_k add up to at most a, then with probability at least 1 - a every bound of every stage is right. *Proof.* The
sizes n_k and the shares a_k are fixed in advance, so that each stage taken alone is an ordinary Clopper-Pearson
statement about n_k independent samples; add up. Hence the best bound of the stages may be reported, and the sampling
may stop after any of them for any reason, also for what the counts show.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from dpmatrix.exact import Exact, fraction


@frozen
class Stage:
    """One look at the counts.

    Attributes
    ----------
    size
        Samples from each data set, those of the earlier stages included.
    failure_probability
        The share of this stage.
    """

    size: int
    failure_probability: Fraction


def stages(samples: int, number: int, failure_probability: Exact, likely: int | None = None) -> tuple[Stage, ...]:
    """Split a confirmation of ``samples`` from each data set into at most ``number`` stages.

    The sizes double; the last stage has half of the failure probability, the one before it a quarter, and so on, and
    the first what is left, so that the shares add up exactly. Of few samples fewer stages are made.

    Parameters
    ----------
    samples, number, failure_probability
        As above.
    likely
        Where the time is likely to end, at most ``samples``: the sizes are this one times or divided by powers of two,
        and the last one. The stage of this size has the largest share, every step away from it halves the share, and
        there may be one stage more.
    """
    total = fraction(failure_probability)
    least = -(-samples // 2 ** (number - 1))
    if likely is None or not least <= likely < samples:
        sizes = sorted({-(-samples // 2**back) for back in range(number)})
        last = len(sizes) - 1
        shares = [total / 2 ** (last - place + 1) if place else total / 2**last for place in range(len(sizes))]
        return tuple(Stage(size, share) for size, share in zip(sizes, shares, strict=True))
    steps = {0: likely}
    for step in range(1, number):
        steps |= {-step: likely >> step, step: min(samples, likely << step)}
    kept = {step: size for step, size in sorted(steps.items()) if least <= size and size > steps.get(step - 1, 0)}
    whole = sum(Fraction(1, 2 ** abs(step)) for step in kept)
    return tuple(Stage(size, total / 2 ** abs(step) / whole) for step, size in kept.items())
