"""Delta-Siege as an auditor: Lokna et al. (2023), repository eth-sri/Delta-Siege, commit 358377f.

It learns to tell outputs apart by their bits, makes an event of a threshold, and looks for any claim of the same noise
that the event refutes; so it has to be told these claims (`audit.peers.claims`). Its classifier, the deltas and the
thresholds are those of its scripts/run_benchmarks.py, which reads a million outputs for each of training, threshold,
comparison and verdict; here the four parts are as equal and as large as fits.

Three things are not its own. Of its package the mechanisms are not imported, which need libraries and repositories that
it audits; the steps of its `Trial` are taken here, which would keep all outputs in files; and the predictions for one
direction are kept for the other, which it does by these files. The bounds come from the counts of its last event.
"""

from __future__ import annotations

import importlib
import math
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from audit.peers.claims import Claims
from audit.peers.other_auditors import FloatArray, Row, Task, not_asked

SIDES, PARTS, BATCHES, BITS = 2, 4, 10, 64


def load_delta_siege() -> None:
    """Make Delta-Siege importable without its mechanisms."""
    name = "deltasiege.mechanism"
    found = find_spec("deltasiege") if "deltasiege" not in sys.modules else None
    if found is None or not found.submodule_search_locations:
        return
    package = ModuleType(name)
    package.__path__ = [str(Path(found.submodule_search_locations[0], "mechanism"))]
    # The package asks for this name before the module that has it can be imported.
    package.__dict__["__getattr__"] = lambda part: getattr(importlib.import_module(f"{name}.mechanism"), part)
    sys.modules[name] = package


def _mechanism(task: Task, claims: Claims) -> type[Any]:
    """Return the mechanism as a class of theirs, which is called with the number of the data set."""
    from deltasiege.mechanism.mechanism import Mechanism

    sides, generator = (task.data, task.neighbour), np.random.default_rng()
    curve: dict[float, float | None] = {}

    class Audited(Mechanism):  # type: ignore[misc]  # the package has no types
        def __call__(self, side: int, size: int) -> FloatArray:
            return np.ascontiguousarray(task.sampler(sides[side], size, generator).reshape(size, -1))

        def constraint(self, epsilon: float, delta: float) -> bool:
            return epsilon > 0 and 0 <= delta <= 1

        def guarantee_(self, epsilon: float, delta: float) -> float:
            if not epsilon > 0:
                return math.inf
            return 0.0 if math.isinf(epsilon) else claims.needed(epsilon, delta)

        def perturb_delta(self, delta: float) -> float | None:
            if delta not in curve:
                curve[delta] = claims.epsilon_at(delta)
            return curve[delta]

    return Audited


def _classes() -> tuple[type[Any], type[Any]]:
    """Return its classifier, which remembers what it predicted, and its search, which remembers its last event."""
    from deltasiege.attack import LinesearchEstimator
    from deltasiege.classifiers.legacy.multi_layer_perceptron import MultiLayerPerceptron

    class Classifier(MultiLayerPerceptron):  # type: ignore[misc]  # the package has no types
        def get_batches(self, side: int, size: int, batch: int, start: int) -> Any:
            kept = self.__dict__.setdefault("kept", {})
            if (side, start) not in kept:
                kept[side, start] = list(super().get_batches(side, size, batch, start))
            return iter(kept[side, start])

    class Search(LinesearchEstimator):  # type: ignore[misc]  # the package has no types
        def __call__(self, first: FloatArray, second: FloatArray, *rest: Any) -> Any:
            self.last = float(first.max()), float(second.min())
            return super().__call__(first, second, *rest)

    return Classifier, Search


def deltas(stated: float, steps: int) -> FloatArray:
    """Return the deltas that it tries."""
    return np.concatenate([[0.0, stated], np.exp(np.linspace(math.log(1e-9), 0, num=steps))])


def ask_delta_siege(task: Task) -> Row:
    """Let Delta-Siege learn an event of bits, and refute any claim of the noise by it."""
    if task.claims is None:
        return not_asked("not asked: takes all claims of the noise, which are not known")
    load_delta_siege()
    from deltasiege.attack import Witness, WitnessOptimization
    from deltasiege.classifiers import BitPatternFeatureTransformer
    from deltasiege.classifiers.legacy.torch_optimizer_factory import AdamOptimizerFactory
    from deltasiege.utils import Config

    begin = time.process_time()
    each = task.outputs // (SIDES * PARTS)
    config = Config(
        n_train=each,
        n_init=each,
        n_check=each,
        n_final=each,
        batch_size=each // BATCHES,
        confidence=1 - task.alpha,
        n_jobs=1,
        n_experiments=1,
    )
    classifier_class, search_class = _classes()
    mechanism = _mechanism(task, task.claims)(epsilon=task.epsilon, delta=task.delta)
    columns = math.prod(mechanism(0, 1).shape)
    classifier = classifier_class(
        data_source=mechanism,
        config=config,
        in_dimensions=BITS * columns,
        optimizer_factory=AdamOptimizerFactory(learning_rate=0.1, step_size=500),
        hidden_sizes=(),
        n_test_batches=1,
        normalize_input=False,
        epochs=10,
        regularization_weight=0.0001,
        feature_transform=BitPatternFeatureTransformer(),
    )
    classifier.train((0, 1))
    search = search_class(delta_steps=deltas(task.delta, task.claims.steps))
    witnesses = [WitnessOptimization(first, 1 - first, classifier, config, mechanism, search) for first in (0, 1)]
    for witness in witnesses:
        witness.state = Witness.State.Check
        witness.compute_estimate()
    best = min(witnesses, key=lambda witness: witness.estimate_c)
    best.state = Witness.State.Final
    best.compute_estimate()
    likelier, other = search.last
    beyond = likelier - task.delta
    epsilon = math.inf if beyond > 0 and other <= 0 else math.log(beyond / other) if beyond > 0 else 0.0
    delta = likelier - math.exp(task.epsilon) * other
    refuted = bool(best.estimate_c < 1)
    return Row(refuted, max(0.0, epsilon), max(0.0, delta), time.process_time() - begin)
