# Everything runs from a private environment in .venv, installed from pinned, hashed requirements.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# Libraries to compare with have an environment of their own: one of them needs an older scikit-learn.
PEERS  := .venv-peers
PEERS_STAMP := $(PEERS)/.installed
WORKERS ?= 2
# Tests wait for other processes a good part of the time, so one more runs beside them; a file has one worker, whose
# fixtures and caches all of its items share, and long files come first. Items that are evidence run in the audit, and once is enough.
TEST_WORKERS ?= 3
PROOFS := proofs_checks/kernel
# The tests that are asked about mutants of what releases.
JUDGES := tests/mechanisms tests/streaming tests/files tests/estimators tests/commands tests/randomness tests/privacy \
	tests/test_atomic_files.py
# What the report rests on, made if it is not there; figures of real data and longer ones are made by hand.
LEDGER := build/audit/ledger.json
FIGURES := analyze-gauss.image-experiment analyze-gauss.regret-online compression.theorem-5-1 \
	sliding-window.table-1 sliding-window.table-2 beyond.least-noise beyond.window-noise
# Each worker has a core to itself: threads of the linear algebra beside it would wait for each other.
test audit faults report snapshot vacuity peers: export OPENBLAS_NUM_THREADS ?= 1
test audit faults report snapshot vacuity peers: export OMP_NUM_THREADS ?= 1

# A suite starts thousands of processes, and each would compile the whole library again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test audit lint bench peers report documentation mutate mutate-sources vacuity snapshot lock clean kernel kernel-independent faults

test: $(STAMP)
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder -p tests.long_files_first \
		-m "not evidence" --ignore=tests/benchmarks tests proofs_checks

audit: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) audit

# Compiles every proof and asks what each theorem says and assumes; needs the packages of debian-packages.txt.
kernel: $(STAMP)
	@command -v coqc >/dev/null || { echo "Rocq is not installed; apt-get install" \
		$$(cut -d= -f1 $(PROOFS)/debian-packages.txt); exit 2; }
	$(BIN)/python -m dpmatrix kernel --check --table

# Slow: a second program reads what the first one compiled, and trusts nothing of it but the file format.
kernel-independent: $(STAMP)
	$(BIN)/python -m dpmatrix kernel --check --independent

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(PEERS_STAMP)
	$(PEERS)/bin/python -m pytest tests/benchmarks --benchmark-only --benchmark-columns=median,iqr,rounds

peers: $(PEERS_STAMP)
	$(PEERS)/bin/python -m pytest -n $(WORKERS) audit/peers

report: $(LEDGER) $(FIGURES:%=build/reproduced/%.json)
	$(BIN)/python -m dpmatrix report

$(LEDGER): | $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) audit

build/reproduced/%.json: | $(STAMP)
	$(BIN)/python -m dpmatrix reproduce $*

documentation: $(STAMP)
	$(BIN)/python -m dpmatrix documentation

mutate: $(STAMP)
	mkdir -p build
	$(BIN)/python audit/mutate_sources.py --trace build/base_lines.json -- tests/privacy tests/test_exact.py
	$(BIN)/python audit/mutate.py --workers $(WORKERS) --lines build/base_lines.json --state build/mutation.state \
		--table audit/mutation_table.md

# This takes hours; audit/mutate_sources.py takes the names of parts.
mutate-sources: $(STAMP)
	mkdir -p build
	$(BIN)/python audit/mutate_sources.py --trace build/lines.json -- $(JUDGES) -m "not evidence"
	$(BIN)/python audit/mutate_sources.py --workers $(WORKERS) --lines build/lines.json \
		--state build/source_mutation.state --table audit/source_mutation_table.md

faults: $(STAMP)
	$(BIN)/python audit/plant.py --workers $(WORKERS)

vacuity: $(STAMP)
	$(BIN)/python audit/vacuity.py --workers $(WORKERS) --state build/vacuity.json

snapshot: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) audit --accept-standings
	$(BIN)/python audit/fingerprints.py

$(STAMP): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(PEERS_STAMP): requirements-peers.txt pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-peers.txt
	# One of them installs its tests under the name of ours.
	rm -rf $(PEERS)/lib/python*/site-packages/tests
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) build .pytest_cache .mypy_cache .ruff_cache
