"""The commands that compute: exact numbers in, certified digits out, one line where they are used wrongly."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import dpmatrix.__main__ as command_line
from dpmatrix.commands import plots
from dpmatrix.commands.numbers import enclosed_probability, read, read_all
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, precision
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    SketchProfile,
    WishartProfile,
    meets,
)

ADD, REPLACE = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE


def run(text: str):
    return CliRunner().invoke(command_line.app, text.split())


def answer(text: str):
    result = run(f"{text} --json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


PROFILES = {
    "laplace --sensitivity 1/3 --scale 0.1": LaplaceProfile(Fraction(1, 3), Fraction(1, 10)),
    "gaussian --sensitivity 1 --standard-deviation 2.5": GaussianProfile(1, Fraction(5, 2)),
    "discrete-laplace --sensitivity 3 --scale 1/3": DiscreteLaplaceProfile(3, Fraction(1, 3)),
    "discrete-gaussian --sensitivity 2 --standard-deviation 1.1": DiscreteGaussianProfile(4, Fraction(121, 100)),
    "discrete-gaussian --sensitivity 2 --standard-deviation 3 --dimension 4": DiscreteGaussianProfile(4, 9, 4),
    "wishart --dimension 3 --scale 0.4": WishartProfile(3, 4, Fraction(2, 5)),
    "wishart --dimension 3 --degrees 9 --scale 0.4 --norm-bound 2": WishartProfile(3, 9, Fraction(2, 5), 4),
    "wishart --dimension 3 --degrees 9.5 --scale 1 --adjacency add-remove-one": WishartProfile(
        3, Fraction(19, 2), 1, 1, ADD
    ),
    "sketch --rows 7 --floor 3 --adjacency add-remove-one": SketchProfile(7, 3, 1, ADD),
    "exponential --range 1 --scale 0.5": BoundedRangeProfile(2),
}


@pytest.mark.parametrize("arguments", PROFILES)
@pytest.mark.parametrize("digits", [3, 25])
def test_a_profile_is_that_of_the_library_and_every_digit_is_certain(arguments, digits) -> None:
    found = answer(f"profile {arguments} --epsilon 0 --epsilon 1/3 --digits {digits}")
    assert [point["epsilon"] for point in found["profile"]] == ["0", "1/3"]
    for point in found["profile"]:
        lower, upper = Decimal(point["delta"]["lower"]), Decimal(point["delta"]["upper"])
        with precision(400):
            exact = PROFILES[arguments].delta(Fraction(point["epsilon"]))
            if lower == upper:
                slack = ball(Fraction(upper)) * ball(Fraction(1, 10 ** (digits - 1))) / 2
                assert abs(exact - ball(Fraction(upper))) <= slack
            else:
                # The radius of a ball around an interval has thirty bits.
                slack = ball(Fraction(1, 10 ** min(digits - 1, 8)))
                assert abs(exact.lower() - ball(Fraction(lower))) <= slack
                assert abs(exact.upper() - ball(Fraction(upper))) <= slack
        assert len(upper.as_tuple().digits) <= digits


def test_the_schema_of_a_profile() -> None:
    found = answer("profile gaussian --sensitivity 1 --standard-deviation 0.5 --epsilon 2:4:3")
    assert found.keys() == {"mechanism", "parameters", "adjacency", "assumes", "digits", "profile"}
    assert found["parameters"] == {"sensitivity": "1", "standard-deviation": "1/2"}
    assert found["adjacency"] == "replace-one"
    assert found["digits"] == 6
    assert [point["epsilon"] for point in found["profile"]] == ["2", "3", "4"]


def test_what_a_person_reads() -> None:
    text = run("profile gaussian --sensitivity 1 --standard-deviation 1 --epsilon 1 --digits 12").stdout
    # Phi(-1/2) - e Phi(-3/2), to twelve digits.
    assert "0.126936737507" in text
    assert "adjacency: replace-one" in text
    assert "assumes: l2 sensitivity" in text
    interval = run("profile wishart --dimension 3 --degrees 9 --scale 2 --epsilon 1").stdout
    assert "[0.00462692, 0.00616741]" in interval


def test_a_decimal_never_passes_through_a_float() -> None:
    """0.1 is a tenth: s/b is then exactly three, and delta exactly zero there and nowhere below."""
    found = answer("profile laplace --sensitivity 0.3 --scale 0.1 --epsilon 3 --epsilon 2.9999999999999999999999")
    first, second = (Decimal(point["delta"]["upper"]) for point in found["profile"])
    assert first == 0
    assert second == Decimal("5e-23")
    assert found["parameters"] == {"sensitivity": "3/10", "scale": "1/10"}


PROMISES = {
    "laplace --sensitivity 1/3 --delta 0": lambda amount: LaplaceProfile(Fraction(1, 3), amount),
    "laplace --sensitivity 2 --delta 0.01": lambda amount: LaplaceProfile(2, amount),
    "gaussian --sensitivity 1 --delta 1e-6": lambda amount: GaussianProfile(1, amount),
    "discrete-laplace --sensitivity 3 --delta 0.01": lambda amount: DiscreteLaplaceProfile(3, amount),
    "discrete-gaussian --sensitivity 2 --delta 1e-5": lambda amount: DiscreteGaussianProfile(4, amount**2),
    "wishart --dimension 3 --delta 0.01": lambda amount: WishartProfile(3, 4, amount),
    "wishart --dimension 3 --scale 2 --delta 0.01": lambda amount: WishartProfile(3, amount, 2),
    "sketch --rows 5 --delta 1e-6": lambda amount: SketchProfile(5, amount, 1, REPLACE),
    "exponential --range 2 --delta 0": lambda amount: BoundedRangeProfile(2 / amount),
    "exponential --range 2 --delta 0.01": lambda amount: BoundedRangeProfile(2 / amount),
}


@pytest.mark.parametrize("arguments", PROMISES)
def test_the_least_noise_keeps_the_guarantee_and_hardly_less_does(arguments) -> None:
    found = answer(f"calibrate {arguments} --epsilon 1 --digits 8")
    (point,) = found["least"]
    amount = Fraction(point["amount"])
    promise = PrivacyGuarantee(1, Fraction(found["delta"]), REPLACE)
    family = PROMISES[arguments]
    assert meets(family(amount), promise)
    less = amount - 1 if found["amount"] == "degrees" else amount * (1 - Fraction(1, 10**6))
    assert not meets(family(less), promise)
    assert Fraction(point["delta"]["upper"]) <= promise.delta or point["delta"]["lower"] == point["delta"]["upper"]


def test_the_schema_of_a_calibration() -> None:
    found = answer("calibrate laplace --sensitivity 1 --epsilon 1/2 --epsilon 2")
    assert found.keys() == {"mechanism", "parameters", "adjacency", "assumes", "delta", "amount", "digits", "least"}
    assert found["amount"] == "scale"
    assert [point["amount"] for point in found["least"]] == ["2", "0.5"]
    text = run("calibrate gaussian --sensitivity 1 --epsilon 1 --delta 1e-6").stdout
    assert "4.22469" in text


WRONG = {
    "profile laplace --sensitivity nan --scale 1 --epsilon 1": "sensitivity",
    "profile laplace --sensitivity inf --scale 1 --epsilon 1": "sensitivity",
    "profile laplace --sensitivity 1/0 --scale 1 --epsilon 1": "sensitivity",
    "profile laplace --sensitivity 1e99999 --scale 1 --epsilon 1": "sensitivity",
    "profile laplace --sensitivity 1 --scale 0 --epsilon 1": "scale",
    "profile laplace --sensitivity 1 --epsilon 1": "scale",
    "profile laplace --sensitivity 1 --scale 1": "epsilon",
    "profile laplace --sensitivity 1 --scale 1 --epsilon -1": "epsilon",
    "profile laplace --sensitivity 1 --scale 1 --epsilon 0:1": "epsilon",
    "profile laplace --sensitivity 1 --scale 1 --epsilon 0:1:1": "epsilon",
    "profile laplace --sensitivity 1 --scale 1 --epsilon 1 --digits 0": "digits",
    "profile laplace --sensitivity 1 --scale 1 --epsilon 1 --rows 3": "rows",
    "profile discrete-laplace --sensitivity 1/2 --scale 1 --epsilon 1": "sensitivity",
    "profile wishart --dimension 3 --degrees 2 --scale 1 --epsilon 1": "degrees_of_freedom",
    "profile exponential --range 1 --scale 0 --epsilon 1": "scale",
    "calibrate gaussian --sensitivity 1 --epsilon 1": "delta",
    "calibrate gaussian --sensitivity 1 --epsilon 0 --delta 0.1": "epsilon",
    "calibrate gaussian --sensitivity 1 --epsilon 1 --delta 1": "delta",
    "calibrate laplace --sensitivity 1 --epsilon 1 --scale 2": "scale",
    "calibrate laplace --sensitivity 1 --epsilon 1 --digits 2000": "digits",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_use_is_one_line_that_names_the_option(arguments) -> None:
    result = run(arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"InvalidParameterError: {WRONG[arguments]}: ")


def test_unknown_names_are_refused() -> None:
    for arguments in ("profile cauchy", "profile laplace --what 1", "profile laplace --adjacency friend"):
        assert run(arguments).exit_code == 2


@pytest.mark.parametrize("text", ["0.1", ".1", "1/10", "1e-1", "+0.10", "100E-3"])
def test_a_tenth_is_read_as_one(text) -> None:
    assert read(text, "x") == Fraction(1, 10)


@pytest.mark.parametrize("text", ["", "x", "1_0", "0x1", "1/2/3", "1.5/2", "--1", "1e", "∞", "١"])
def test_anything_else_is_no_number(text) -> None:
    with pytest.raises(InvalidParameterError):
        read(text, "x")


@pytest.mark.parametrize("text", ["1e4000", "1e-4001", "9" * 5000, "1/" + "3" * 4001])
def test_a_number_that_could_not_be_written_again_is_not_read(text) -> None:
    with pytest.raises(InvalidParameterError, match=r"x: it is too long a number; write one .* at most 4000 digits"):
        read(text, "x")
    assert read("1e3999", "x") == 10**3999


def test_a_range_is_evenly_spaced_and_exact() -> None:
    assert read_all(["0:1:4", "5"], "x") == [0, Fraction(1, 3), Fraction(2, 3), 1, 5]


def test_a_ball_is_printed_as_an_interval_around_it() -> None:
    found = enclosed_probability(lambda: ball(Fraction(1, 3)).union(ball(Fraction(2, 3))), 3)
    assert (str(found.lower), str(found.upper)) == ("0.333", "0.667")
    assert str(enclosed_probability(lambda: ball(Fraction(1, 3)), 5)) == "0.33333"


PLOTS = [
    "profile gaussian --sensitivity 1 --standard-deviation 1 --epsilon 0:4:9",
    "profile wishart --dimension 3 --degrees 9 --scale 1 --epsilon 0:2:3",
    "calibrate gaussian --sensitivity 1 --delta 1e-6 --epsilon 0.5:4:4",
    "profile laplace --sensitivity 1 --scale 1 --epsilon 2",
    "constants",
]


@pytest.mark.parametrize("arguments", PLOTS)
def test_a_drawing_is_an_svg_and_the_same_every_time(arguments, tmp_path) -> None:
    files = [tmp_path / "first" / "a.svg", tmp_path / "b.svg"]
    for file in files:
        assert run(f"{arguments} --plot {file}").exit_code == 0
    first, second = (file.read_bytes() for file in files)
    assert first == second
    root = ElementTree.fromstring(first)
    assert root.tag.endswith("}svg")
    assert any(element.tag.endswith("}path") for element in root.iter())
    assert b"epsilon" in first


def test_a_different_curve_is_a_different_drawing(tmp_path) -> None:
    for deviation in (1, 2):
        run(f"{PLOTS[0].replace('deviation 1', f'deviation {deviation}')} --plot {tmp_path / str(deviation)}")
    assert (tmp_path / "1").read_bytes() != (tmp_path / "2").read_bytes()


def test_a_drawing_that_cannot_be_written_is_one_line(tmp_path, monkeypatch) -> None:
    result = run(f"{PLOTS[0]} --plot {tmp_path}")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1

    def missing(name: str):
        raise ImportError(name)

    monkeypatch.setattr(plots, "import_module", missing)
    result = run(f"{PLOTS[0]} --plot {tmp_path / 'x.svg'}")
    assert result.exit_code == 2
    assert "dpmatrix[plots]" in result.stderr


def test_help_lists_the_commands() -> None:
    text = run("--help").stdout
    assert all(name in text for name in ("profile", "calibrate", "constants", "claims", "report"))
