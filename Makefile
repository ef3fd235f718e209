# Everything a person or CI runs. The first target that needs it sets .venv up, once per lock.

SHELL := /bin/sh
# The first Python that the lock has wheels for; overrule with PYTHON=...
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null \
	&& echo $$p && break; done)
BIN := .venv/bin
READY := .venv/.ready
PYTEST := $(BIN)/python -m pytest
FUZZ_CASES ?= 20000

.DEFAULT_GOAL := help
.PHONY: help setup demo picture docs docs-check functions test check nightly lint types format \
	test-pure test-spark test-rest test-all test-corpus test-connect test-wheel test-connectors pictures mutate fuzz \
	fuzz-sql fuzz-spark coverage bench bench-scale bench-page soak-run corpus dist lock clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-22s%s\n", $$1, $$2}'

setup: $(READY) ## create .venv with everything in it

demo: $(READY) ## build a small shop, change it, refresh its views
	$(BIN)/everview demo

picture: $(READY) ## record the demo as docs/pictures/demo.svg
	$(BIN)/python tools/record_demo.py

pictures: $(READY) ## draw the notebook cards, docs/pictures/cards.html and its PNGs (needs Chromium)
	PYTHONPATH=src:. $(BIN)/python -m tools.cards

docs: $(READY) ## write the pages of docs/ that are made from the code
	$(BIN)/python -m tools.docs

docs-check: $(READY) ## name the pages that are stale
	$(BIN)/python -m tools.docs --check

functions: $(READY) ## ask Spark for the kinds of its functions, write src/everview/sql/spark_functions.py
	$(BIN)/python -m tools.spark_functions

test: $(READY) ## the fast tests, and of those on Spark some of every folder; at most 8 minutes
	$(BIN)/python -m tools.lanes first

check: lint types test test-rest mutate ## what CI runs: lint, types, make test, the other tests, mutants; under 30 minutes

nightly: lint types test-all mutate fuzz fuzz-sql fuzz-spark corpus test-wheel test-connectors ## everything, with all cases, many random ones and a small benchmark; hours
	$(MAKE) bench ARGS="--scale 0.1 --rounds 1"

test-rest: $(READY) ## the tests that make test leaves out; of tests with many cases a share
	$(BIN)/python -m tools.lanes rest

test-all: $(READY) ## every test with every case; hours
	$(BIN)/python -m tools.lanes all

test-pure: $(READY) ## the fast tests, without Spark
	$(PYTEST) -m "not spark and not connect" $(ARGS)

test-spark: $(READY) ## the tests on a classic Spark session
	$(PYTEST) -m "spark and not connect and not wheel and not connectors" $(ARGS)

test-corpus: $(READY) ## queries of many kinds, lowered and written back, against Spark's own answers
	$(PYTEST) -m "spark and not connect" tests/corpus tests/sql $(ARGS)

test-connect: $(READY) ## the tests on Spark Connect, which needs a process of its own
	$(PYTEST) -m connect $(ARGS)

test-wheel: $(READY) ## the wheel, installed into an empty venv from the registry, at work
	$(PYTEST) -m wheel tests/packaging $(ARGS)

test-connectors: $(READY) ## Delta's own connector for Spark, its jar from the registry, beside Everview
	$(PYTEST) -m connectors tests/connectors $(ARGS)

mutate: $(READY) ## show that the laws catch every wrong delta rule
	PYTHONPATH=src:. $(BIN)/python -m tests.laws.mutate $(ARGS)

fuzz: $(READY) ## random tests with many cases (FUZZ_CASES=20000)
	EVERVIEW_FUZZ_CASES=$(FUZZ_CASES) $(PYTEST) -m "fuzz and not connect" $(ARGS)

fuzz-sql: $(READY) ## random queries, read and written back and as plans (N=3000)
	EVERVIEW_FUZZ_SQL=$(or $(N),3000) $(PYTEST) tests/corpus/test_random_sql.py tests/corpus/test_meaning.py $(ARGS)

fuzz-spark: $(READY) ## random views on Spark with changes and all oracles (N=50, SEED=... of the first)
	PYTHONPATH=src:. $(BIN)/python -m tests.fuzz.run --cases $(or $(N),50) $(if $(SEED),--seed $(SEED)) $(ARGS)

coverage: $(READY) ## how much of the sources the fast tests reach
	$(PYTEST) -q -m "not spark and not connect" --cov $(ARGS)

lint: $(READY) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict
	$(BIN)/mypy

format: $(READY) ## ruff: repair what it can, format the rest
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(READY) ## refreshes against full recomputes and hand-written code, at scale factor 1; six minutes
	PYTHONPATH=src:. $(BIN)/python -m bench.run --minutes 5 --json artifacts/bench.json $(ARGS)

bench-scale: $(READY) ## the same at scale factors 1 and 10, all views and changes; hours, goes on where it was cut off
	PYTHONPATH=src:. $(BIN)/python -m bench.run --scale 1 10 --whole --rounds 3 --resume \
		--json artifacts/bench-scale.json $(ARGS)

soak-run: $(READY) ## keep ten views fresh by a scheduler under a writer for MINUTES=2; lags, refreshes, CPU
	PYTHONPATH=src:. $(BIN)/python -m bench.soak_run --minutes $(or $(MINUTES),2) $(ARGS)

bench-page: $(READY) ## write docs/performance.md from artifacts/bench-scale.json, or from RESULTS=
	PYTHONPATH=src:. $(BIN)/python -m bench.report $(or $(RESULTS),artifacts/bench-scale.json)

corpus: $(READY) ## tell of every query of the corpus whether it keeps its meaning, and how it is kept as a view
	PYTHONPATH=src:. $(BIN)/python -m tests.corpus.report $(ARGS)

dist: $(READY) ## build the wheel and the sdist into dist/
	$(BIN)/python -m hatchling build

lock: ## compute requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra connect --group dev --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-header --quiet --upgrade \
		--output-file requirements.lock

clean: ## remove .venv and everything that tools, Spark and the demo left behind
	rm -rf .venv build dist htmlcov .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache \
		.ruff_cache artifacts derby.log metastore_db spark-warehouse everview-demo
	find src tests tools bench -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The tests have one order, also under make -j: they share two cores and the console.
.NOTPARALLEL:

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Everview needs Python 3.11 to 3.14: make PYTHON=..." >&2; exit 1; }
	@echo "setting up .venv: downloads about 700 MB"
	$(PYTHON) -m venv .venv
	@# The lock names every package, so none is looked for: older pips stumble over extras here.
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --no-deps \
		-r requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY)
