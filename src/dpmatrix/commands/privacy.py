"""``dpmatrix profile`` and ``dpmatrix calibrate``: exact deltas, and the minimal noise for a guarantee."""

from __future__ import annotations

import json
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from attrs import frozen

from dpmatrix.commands.failures import one_line
from dpmatrix.commands.noises import Known, Noise, Options, known
from dpmatrix.commands.numbers import Enclosed, bits_for, decimal, enclosed_probability, read, read_all
from dpmatrix.commands.plots import Curve, write_svg
from dpmatrix.commands.runs import AsJson
from dpmatrix.exact import precision
from dpmatrix.privacy import Adjacency, PrivacyGuarantee, meets

Number = Annotated[str | None, typer.Option(metavar="NUMBER")]
Epsilons = Annotated[
    list[str] | None, typer.Option(metavar="NUMBER", help="Several are allowed, and ranges first:last:count.")
]
Digits = Annotated[int, typer.Option(help="Significant digits.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the curve over the epsilons given.")]
Relation = Annotated[Adjacency, typer.Option(help="Relation between neighbours.")]
DEFAULT_DIGITS = 6


def _options(adjacency: Adjacency, given: dict[str, str | None]) -> Options:
    return Options(
        {name: read(text, name) for name, text in given.items() if text is not None},
        adjacency,
    )


def _heading(noise: Noise, options: Options, found: Known) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in options.given.items())
    return (
        f"{noise.value} ({settings})\nadjacency: {options.adjacency.value}\n"
        f"assumes: {found.assumes}\nnumbers are read exactly; every digit below is certified"
    )


def _table(headings: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    width = max(len(first) for first, _ in [headings, *rows])
    return "\n".join(f"{first:<{width}}  {second}" for first, second in [headings, *rows])


def _common(noise: Noise, options: Options, found: Known) -> dict[str, Any]:
    return {
        "mechanism": noise.value,
        "parameters": {name: str(value) for name, value in options.given.items()},
        "adjacency": options.adjacency.value,
        "assumes": found.assumes,
    }


@one_line
def profile(
    mechanism: Annotated[Noise, typer.Argument()],
    *,
    epsilon: Epsilons = None,
    sensitivity: Number = None,
    scale: Number = None,
    standard_deviation: Number = None,
    dimension: Number = None,
    degrees: Number = None,
    rows: Number = None,
    floor: Number = None,
    range_: Annotated[str | None, typer.Option("--range", metavar="NUMBER")] = None,
    norm_bound: Number = None,
    adjacency: Relation = Adjacency.REPLACE_ONE,
    digits: Digits = DEFAULT_DIGITS,
    as_json: AsJson = False,
    plot: Plot = None,
) -> None:
    """Print the least delta of a mechanism at each epsilon."""
    given = {
        "sensitivity": sensitivity,
        "scale": scale,
        "standard-deviation": standard_deviation,
        "dimension": dimension,
        "degrees": degrees,
        "rows": rows,
        "floor": floor,
        "range": range_,
        "norm-bound": norm_bound,
    }
    options = _options(adjacency, given)
    found = known(mechanism, options, seeks_amount=False)
    curve = found.profile(options, options.number(found.amount))
    places = read_all(epsilon or [], "epsilon")
    deltas = [enclosed_probability(partial(curve.delta, place), digits) for place in places]
    if plot is not None:
        _draw(plot, f"{mechanism.value}: privacy profile", "delta", places, deltas)
    if as_json:
        points = [
            {"epsilon": str(place), "delta": delta.to_json()} for place, delta in zip(places, deltas, strict=True)
        ]
        typer.echo(json.dumps(_common(mechanism, options, found) | {"digits": digits, "profile": points}, indent=1))
        return
    lines = [(str(place), str(delta)) for place, delta in zip(places, deltas, strict=True)]
    typer.echo(f"{_heading(mechanism, options, found)}\n\n{_table(('epsilon', 'delta'), lines)}")


@one_line
def calibrate(
    mechanism: Annotated[Noise, typer.Argument()],
    *,
    epsilon: Epsilons = None,
    delta: Annotated[str, typer.Option(metavar="NUMBER")] = "0",
    sensitivity: Number = None,
    scale: Number = None,
    dimension: Number = None,
    degrees: Number = None,
    rows: Number = None,
    range_: Annotated[str | None, typer.Option("--range", metavar="NUMBER")] = None,
    norm_bound: Number = None,
    adjacency: Relation = Adjacency.REPLACE_ONE,
    digits: Digits = DEFAULT_DIGITS,
    as_json: AsJson = False,
    plot: Plot = None,
) -> None:
    """Print the minimal noise that keeps (epsilon, delta), rounded to the safe side."""
    given = {
        "sensitivity": sensitivity,
        "scale": scale,
        "dimension": dimension,
        "degrees": degrees,
        "rows": rows,
        "range": range_,
        "norm-bound": norm_bound,
    }
    options = _options(adjacency, given)
    found = known(mechanism, options, seeks_amount=True)
    promises = [
        PrivacyGuarantee(place, read(delta, "delta"), adjacency) for place in read_all(epsilon or [], "epsilon")
    ]
    answers = [_least(found, options, promise, digits) for promise in promises]
    places = [promise.epsilon for promise in promises]
    if plot is not None:
        amounts = [Enclosed(answer.amount, answer.amount) for answer in answers]
        _draw(plot, f"{mechanism.value}: minimal noise for delta = {delta}", found.amount, places, amounts)
    if as_json:
        points = [
            {"epsilon": str(place), "amount": str(answer.amount), "delta": answer.delta.to_json()}
            for place, answer in zip(places, answers, strict=True)
        ]
        record = {"delta": str(promises[0].delta), "amount": found.amount, "digits": digits, "least": points}
        typer.echo(json.dumps(_common(mechanism, options, found) | record, indent=1))
        return
    lines = [
        (str(place), f"{answer.amount}, where delta is {answer.delta}")
        for place, answer in zip(places, answers, strict=True)
    ]
    typer.echo(f"{_heading(mechanism, options, found)}\n\n{_table(('epsilon', found.amount), lines)}")


@frozen
class _Answer:
    amount: Decimal
    delta: Enclosed


def _least(found: Known, options: Options, promise: PrivacyGuarantee, digits: int) -> _Answer:
    with precision(bits_for(digits)):
        least = found.least(options, promise, Fraction(1, 10**digits))
        kept = max(digits, len(str(least))) if least.denominator == 1 else digits
        amount = decimal(least, kept, ROUND_CEILING)
        # Rounding up keeps the guarantee where more noise is better, which is asked and not assumed.
        while not meets(found.profile(options, Fraction(amount)), promise):
            kept += 1
            amount = decimal(least, kept, ROUND_CEILING)
    settled = found.profile(options, Fraction(amount))
    return _Answer(amount, enclosed_probability(lambda: settled.delta(promise.epsilon), digits))


def _draw(path: Path, title: str, along: str, places: list[Fraction], values: list[Enclosed]) -> None:
    order = sorted(range(len(places)), key=places.__getitem__)
    curve = Curve(
        "",
        [float(places[index]) for index in order],
        [float(values[index].lower) for index in order],
        [float(values[index].upper) for index in order],
    )
    write_svg(path, title, "epsilon", along, [curve], logarithmic=any(value.upper > 0 for value in values))
