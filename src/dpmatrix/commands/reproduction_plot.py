"""Reproduced figures as SVG: a panel for each data set, bars of one standard deviation."""

from __future__ import annotations

import io

from dpmatrix.commands.plots import METADATA, drawing_style
from dpmatrix.experiments.reproduction import Reproduction

_DASHES = {"PCA": "-", "T^(-1/2)": ":"}


def drawing(reproduction: Reproduction, origin: str) -> str:
    """Draw a reproduced figure; the text of an SVG file, which names the origin of the numbers.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    panels = list(dict.fromkeys(series.panel for series in reproduction.series))
    with drawing_style() as figures:
        whole = figures.Figure(
            figsize=(6 * max(len(panels), 2 if reproduction.pictures else 1), 4.5), layout="constrained"
        )
        parts = whole.subfigures(1, 2, squeeze=False)[0] if reproduction.pictures else [whole]
        for axes, panel in zip(parts[0].subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            for series in reproduction.series:
                if series.panel == panel:
                    bars = list(series.deviations) or None
                    style = _DASHES.get(series.label, "--" if series.deviations else "-")
                    axes.errorbar(series.places, series.values, bars, label=series.label, linestyle=style, capsize=3)
            axes.set(title=panel, xlabel=reproduction.across, ylabel=reproduction.along)
            if reproduction.logarithmic:
                axes.set_xscale("log")
            axes.grid(visible=True, alpha=0.3)
            axes.legend(fontsize="x-small")
        if reproduction.pictures:
            shown = parts[1].subplots(2, -(-len(reproduction.pictures) // 2), squeeze=False).ravel()
            for axes, picture in zip(shown, reproduction.pictures, strict=False):
                axes.imshow(picture.levels, cmap="gray", vmin=0, vmax=255)
                axes.set_title(picture.title, fontsize="x-small")
            for axes in shown:
                axes.set_axis_off()
        how = "with own parameters" if reproduction.own else "reproduced"
        whole.suptitle(f"{reproduction.target}: {how}, not private")
        whole.supxlabel(origin, fontsize="xx-small")
        buffer = io.StringIO()
        whole.savefig(buffer, format="svg", metadata=METADATA)
    return buffer.getvalue()
