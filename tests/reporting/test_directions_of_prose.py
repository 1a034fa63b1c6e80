"""Where a number lies that prose bounds: the words around a figure, and how far the number may be from it."""

from __future__ import annotations

import pytest
from flint import arb

from dpmatrix.reporting.prose import tell


def says(text: str, template: str, value: arb | float) -> bool:
    try:
        tell("a text", [text], template, [value])
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "template", "value"),
    [
        ("delta is above 3 there", "is above {above}", 3.4),
        ("delta is not below 3 there", "not below {above}", 3.4),
        ("it exceeds 2000 there", "exceeds {above}", 2147),
        ("it is exceeded 1,000 times", "exceeded {above} times", 1128),
        ("at least 80 % of it", "at least {above} of", 0.866),
        ("above 10^5 there", "above {above}", 5.4e5),
        ("above 0.99 there", "above {above}", arb("0.99999999", "1e-12")),
        ("it loses less than 1e-20", "less than {below}", 1.6e-21),
        ("it comes within 1.1, 1.5 and 2.2 per cent", "and {below} per cent", 2.19),
        ("the norm does not exceed 0.04", "not exceed {below}", 0.032),
        ("no more than 100 of them", "more than {below}", 98),
        ("it fails from M = 500 on", "M = {below} on", 498),
        ("which admits every eps <= 5.5, it holds", "<= {above}, it", 5.545),
        ("c = 1 below eta = 0.0547", "below eta = {}", 0.05473),
        ("the norm is at most 0.35", "at most {}", 0.3467),
        ("the norm is at most 32", "at most {}", 32),
        ("it fails near m = 3280", "near m = {about}", 3279.1),
        ("that is about 1750 delta", "about {about} delta", 1752),
    ],
)
def test_the_words_of_the_prose_say_where_a_number_lies(text: str, template: str, value: arb | float) -> None:
    assert says(text, template, value)


@pytest.mark.parametrize(
    ("text", "template", "value"),
    [
        ("delta is above 3 there", "is above {above}", 1e9),
        ("delta is above 3 there", "is above {above}", 4),
        ("delta is above 1,000 there", "is above {above}", 2001),
        ("above 10^5 there", "above {above}", 1.1e6),
        ("above 0.99 there", "above {above}", arb("1.1", "0.2")),
        ("delta is below 3 there", "is below {below}", 1e-9),
        ("delta is below 0.01 there", "is below {below}", 1e-9),
        ("delta is below 100 there", "is below {below}", 2),
        ("delta is below 10^-15 there", "is below {below}", 2.6e-19),
        ("delta is below 10^-15 there", "is below {below}", arb("0", "3e-17")),
        ("delta is below 3 there", "is below {above}", 3.4),
        ("delta is above 3 there", "is above {below}", 2.6),
        ("delta is 3 there", "is {above}", 3.4),
        ("delta is 3 there", "is {below}", 2.6),
        ("above all it is 3 there", "is {above}", 3.4),
        ("it is above 5, where delta is 3", "is {above}", 3.4),
        ("delta is not above 3 there", "above {above}", 3.4),
        ("delta is never above 3 there", "above {above}", 3.4),
        ("no more than 3 of them", "more than {above}", 3.4),
        ("nothing exceeds 3 there", "exceeds {above}", 3.4),
        ("delta never falls below 3 there", "below {below}", 2.6),
        ("it breaks the promise after 50 steps", "after {below} steps", 47),
        ("it fails from M = 500 on", "M = {above} on", 530),
        ("it fails from M = 500 on", "M = {below} on", 12),
        ("which admits every eps <= 5.5, it holds", "<= {below}, it", 5.45),
        ("it keeps every loss below 3 there", "below {above}", 3.4),
        ("no loss is above 0.35 there", "above {}", 0.3549),
        ("delta is above 0.35 there", "is above {}", 0.3451),
        ("delta is at most 0.35 there", "at most {}", 0.3549),
        ("that is 1750 delta", "is {about} delta", 1752),
        ("that is about 1000 delta", "about {about} delta", 1400),
        ("it is about 3, and 1750 in the plane", "and {about} in", 1752),
    ],
)
def test_a_place_that_the_words_do_not_bear_out_is_refused(text: str, template: str, value: arb | float) -> None:
    assert not says(text, template, value)
