"""The image experiment of `analyze-gauss`, on a portrait that matplotlib ships: Grace Hopper, public domain."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.reproduction import Picture, Reproduction, Series, Tell
from dpmatrix.spec.analyze_gauss.image import NOISE, SHOWN, SIDE, Panel

FloatArray = npt.NDArray[np.float64]

TARGET = "analyze-gauss.image-experiment"
LUMINANCE = (299, 587, 114)
"""Thousandths of red, green and blue in a grey level (ITU-R BT.601)."""


@frozen(eq=False)
class ImagePanel:
    """The panel and what was measured on it. Nothing of it is private.

    Attributes
    ----------
    original, noisy
        Shape (512, 512), grey levels from 0 to 255; the noisy one may leave them.
    reconstructions
        The panels, by their number of components.
    measured
        Errors of the eight panels of the slides.
    curve
        Error for every number of components from 1 to ``most``.
    seed
        Of the noise.
    """

    original: FloatArray = field(repr=False)
    noisy: FloatArray = field(repr=False)
    reconstructions: dict[int, FloatArray] = field(repr=False)
    measured: Panel
    curve: tuple[float, ...]
    seed: int

    columns = ("components", "rmse")

    @property
    def rows(self) -> tuple[tuple[int, float], ...]:
        """Number of components and error."""
        return tuple(enumerate(self.curve, start=1))

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON can hold them."""
        return {
            "target": TARGET,
            "private": False,
            "seed": self.seed,
            "noisy_rmse": float(self.measured.noisy_error),
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
        }


def portrait() -> FloatArray:
    """Return the top 512 rows of the portrait in grey: shape (512, 512), from 0 to 255.

    Raises
    ------
    InvalidParameterError
        If the installed matplotlib does not ship it.
    """
    samples = import_module("matplotlib.cbook")
    try:
        with samples.get_sample_data("grace_hopper.jpg") as file:
            colours = np.asarray(import_module("PIL.Image").open(file), dtype=np.int64)
    except OSError as error:
        remedy = "install matplotlib with its sample data"
        raise InvalidParameterError("image", "matplotlib does not ship grace_hopper.jpg", remedy) from error
    return np.asarray(colours[:SIDE, :SIDE, :3] @ np.array(LUMINANCE) / 1000, dtype=np.float64)


@implements("analyze-gauss.image-experiment+repair@48382a3b")
def image_panel(seed: int = 2014, most: int = 128) -> ImagePanel:
    """Add Gaussian noise of deviation 20 to the portrait and keep its leading components.

    Parameters
    ----------
    seed
        Of the noise.
    most
        The largest number of components of the curve, at least 29 and at most 512.

    Raises
    ------
    InvalidParameterError
        If ``most`` is out of range, or there is no portrait.
    """
    if not SHOWN[-1] <= most <= SIDE:
        raise InvalidParameterError("most", f"{most} is out of range", f"pass {SHOWN[-1]} to {SIDE}")
    original = portrait()
    noisy = original + np.random.default_rng(seed).normal(scale=NOISE, size=original.shape)
    left, values, right = np.linalg.svd(noisy)
    found, kept, curve = np.zeros_like(original), {}, []
    for count in range(1, most + 1):
        found = found + values[count - 1] * np.outer(left[:, count - 1], right[count - 1])
        curve.append(_error(found, original))
        if count in SHOWN:
            kept[count] = found
    errors = tuple(Fraction(curve[count - 1]) for count in SHOWN)
    measured = Panel(len(original), NOISE, tuple(kept), errors, Fraction(_error(noisy, original)))
    return ImagePanel(original, noisy, kept, measured, tuple(curve), seed)


def image_reproduction(seed: int, tell: Tell) -> Reproduction:
    """Reproduce the panel of the slides, and the error for every number of components."""
    tell(0, 1)
    found = image_panel(seed)
    tell(1, 1)
    counts = [float(count) for count, _ in found.rows]
    noisy = float(found.measured.noisy_error)
    series = (
        Series("", "leading components of the noisy image", counts, found.curve),
        Series("", "noisy image", counts, [noisy] * len(counts)),
    )
    pictures = (
        Picture("original", found.original),
        Picture("noisy", found.noisy),
        *(Picture(f"{count} components", levels) for count, levels in found.reconstructions.items()),
    )
    best = min(found.rows, key=lambda row: row[1])
    notes = (
        "the portrait of Grace Hopper that matplotlib ships; the slides do not say which image they show",
        f"the noisy image is off by {noisy:.2f}; least error {best[1]:.2f}, with {best[0]} components",
    )
    columns = ("components", "root mean square error")
    return Reproduction(TARGET, columns, found.rows, notes, series, *columns, pictures=pictures)


def _error(image: FloatArray, original: FloatArray) -> float:
    return float(np.sqrt(np.mean((image - original) ** 2)))
