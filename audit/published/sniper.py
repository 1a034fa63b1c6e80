"""DP-Sniper as an auditor: Bichsel, Steffen, Bogunovic and Vechev (2021), repository eth-sri/dp-sniper.

It trains a classifier for every pair and direction, keeps the one that does best, and bounds epsilon from fresh
outputs of that pair. Classifier, learning rate, epochs, the least probability of an event, and the shares of the
outputs that serve each purpose are the defaults of its experiments; the numbers of outputs are scaled down together.
Its batches of 100,000 outputs shrink with them, to 1,000 at least: each costs ten steps of training. It tells marks
such as "not asked" by columns of their own, as it does for its authors. Work that it would hand to a pool of processes
is done in this one.
"""

from __future__ import annotations

import logging
import math
import tempfile
import time
from types import SimpleNamespace

import numpy as np

from audit.peers.other_auditors import FloatArray, Row, Task, not_asked
from audit.published.above_threshold import BELOW, NOT_ASKED

_PARTS, _FINAL = 107, 2000
"""Shares of training, thresholds, and each side of a first estimate; and of each side of the last estimate."""
_BATCHES, _LEAST_BATCH = 107, 1000
MARKS = (-1.0, BELOW, NOT_ASKED)


def _marks(batch: FloatArray) -> list[float]:
    return [mark for mark in MARKS if np.any(batch == mark)]


class _Mechanism:
    """The outputs in the form that it asks for: of one flat row, so many."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._shape = task.data.shape
        self._generator = np.random.default_rng()

    def m(self, row: FloatArray, n_samples: int = 1) -> FloatArray:
        """Return outputs on a data set that has been flattened."""
        return self._task.sampler(np.asarray(row).reshape(self._shape), n_samples, self._generator)


def ask_dp_sniper(task: Task) -> Row:
    """Let DP-Sniper search all pairs in both directions and bound epsilon."""
    if task.delta:
        return not_asked("not asked: takes delta = 0 alone")
    pairs = [(task.data, task.neighbour), *task.further]
    if any(data.shape != other.shape for data, other in pairs):
        return not_asked("not asked: takes inputs of one shape")
    from dpsniper.attack.dpsniper import DPSniper
    from dpsniper.classifiers.classifier_factory import LogisticRegressionFactory
    from dpsniper.classifiers.feature_transformer import FlagsFeatureTransformer
    from dpsniper.classifiers.torch_optimizer_factory import SGDOptimizerFactory
    from dpsniper.search.ddconfig import DDConfig
    from dpsniper.search.ddsearch import DDSearch
    from dpsniper.utils import my_multiprocessing
    from dpsniper.utils.paths import set_output_directory
    from dpsniper.utils.torch import torch_initialize

    begin = time.process_time()
    logging.disable(logging.CRITICAL)
    my_multiprocessing.the_parallel_executor.execute = lambda function, inputs: list(map(function, inputs))
    torch_initialize(torch_threads=1)
    directed = [ends for pair in pairs for ends in (pair, pair[::-1])]
    unit = task.outputs / (5 * _PARTS * len(directed) + 2 * _FINAL)
    each, final = (max(200, int(unit * part) // 1000 * 1000 or int(unit * part)) for part in (_PARTS, _FINAL))
    config = DDConfig(
        n_train=each,
        n=each,
        n_check=each,
        n_final=final,
        training_batch_size=max(_LEAST_BATCH, each // _BATCHES),
        n_processes=1,
        confidence=1 - task.alpha,
    )
    mechanism = _Mechanism(task)
    trial = np.concatenate([mechanism.m(data.ravel(), 200) for data in task_sides(task)])
    columns = 1 if trial.ndim == 1 else trial.shape[1]
    marks = _marks(trial)
    with tempfile.TemporaryDirectory() as folder:
        set_output_directory(folder)
        factory = LogisticRegressionFactory(
            in_dimensions=columns * (1 + len(marks)),
            optimizer_factory=SGDOptimizerFactory(learning_rate=0.3, momentum=0.3, step_size=500),
            feature_transform=FlagsFeatureTransformer(marks) if marks else None,
            regularization_weight=0.001,
            epochs=10,
        )
        inputs = SimpleNamespace(
            get_input_pairs=lambda: [(first.ravel(), second.ravel()) for first, second in directed]
        )
        witness = DDSearch(mechanism, DPSniper(mechanism, factory, config), inputs, config).run()
        witness.compute_eps_high_precision(mechanism, config)
    bound = float(witness.lower_bound)
    logging.disable(logging.NOTSET)
    return Row(bound > task.epsilon, max(0.0, bound), math.nan, time.process_time() - begin)


def task_sides(task: Task) -> list[FloatArray]:
    """Return the data sets of all pairs."""
    return [side for pair in ((task.data, task.neighbour), *task.further) for side in pair]
