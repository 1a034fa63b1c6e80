"""Print the table of contents: `python -m audit.strangers`."""

from __future__ import annotations

from audit.strangers import STRANGERS, Stranger


def line(stranger: Stranger) -> str:
    """Return one line of the table: the mechanism, its claim, its relation, and the truth."""
    truth = "right" if stranger.right else stranger.true_epsilon
    claim = f"({stranger.epsilon:g}, {stranger.delta:g})"
    place = stranger.place.removeprefix("audit.strangers.")
    return f"{place:46} {claim:11} {stranger.adjacency.value:16} {truth:7} {stranger.fault or stranger.purpose}"


if __name__ == "__main__":
    for stranger in STRANGERS:
        print(line(stranger))
    faults = sum(not stranger.right for stranger in STRANGERS)
    print(f"{len(STRANGERS)} mechanisms, {faults} faulty, {len(STRANGERS) - faults} right")
