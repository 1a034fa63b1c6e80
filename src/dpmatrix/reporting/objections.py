"""What the gate objects to of statements whose evidence passed and shows too little of them."""

from __future__ import annotations

from dpmatrix.reporting.outcomes import Outcomes, Specified


def empty_support(outcomes: Outcomes, specified: Specified) -> list[str]:
    """List the statements whose margin says nothing, or that were hardly looked at.

    Parameters
    ----------
    outcomes
        What the items of a run saw.
    specified
        The statements.
    """
    problems = [
        f"{name}: its margin is one number wherever it was asked, and says nothing of its points"
        for name in outcomes.constant(specified.universal())
    ]
    supported = specified.supported()
    problems += [
        f"{name}: met at one point, and no other is known of which it speaks" for name in outcomes.alone(supported)
    ]
    problems += [
        f"{name}: no search near the points that were met had the time to ask at a few"
        for name in outcomes.hurried(supported)
    ]
    return problems + [
        f"{name}: the hypothesis {says!r} is the conclusion, whose margin it has in one ratio wherever it was asked"
        for name, says in outcomes.restated(supported)
    ]
