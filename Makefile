# make serve   set up, then run the server with config.toml
# make test    set up, then every check and test; the last line is pytest's
# make test-uo the tests of one game: uo eo eq2 co l2 web
# make soak    the long runs
# make bench   the measurements of bench/
# make fmt     put the code into the house format
# make lock    renew requirements.lock after a change of pyproject.toml (needs `uv`)
# make clean   remove what can be made again; var/ (the world) stays

PYTHON ?= python3
CONFIG ?= config.toml
# Test processes that compute: as many as the usual two cores. One more has the tests that wait (tests/kit/sharing.py).
JOBS ?= 2
# What `make bench` gives `causeway bench`: `make bench BENCH="spread --counts 1000"`.
BENCH ?= --seconds 5

BIN := .venv/bin
STAMP := .venv/.installed
COMPILED := .venv/.collected
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

GAMES := uo eo eq2 co l2 web

.PHONY: serve test test-split checks suite soak bench fmt lock clean $(GAMES:%=test-%)

serve: $(STAMP)
	@exec $(BIN)/causeway serve --config $(CONFIG)

# Types and layers are checked while the tests run: mypy keeps one core busy for long when it has no cache yet.
# Bytecode is kept whatever the environment says: the tests start many processes.
test: export PYTHONDONTWRITEBYTECODE =
test: $(STAMP)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(MAKE) --no-print-directory -j2 checks suite

checks: $(STAMP)
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > .venv/layers.txt || { cat .venv/layers.txt; exit 1; }

suite: $(COMPILED)
	@$(BIN)/python -m pytest -q -n $$(($(JOBS) + 1)) --dist loadscope --no-loadscope-reorder

# The first collection writes the bytecode of all tests: once, and not in each test process.
$(COMPILED): $(STAMP)
	@$(BIN)/python -m pytest -qq --collect-only > $@.log || { cat $@.log; exit 1; }
	@touch $@

$(GAMES:%=test-%): test-%: $(STAMP)
	@$(BIN)/python -m pytest -q -n $(JOBS) tests/$*

# The same scenes with an edge between clients and world, as in a cluster.
test-split: export CAUSEWAY_SPLIT = 1
test-split: $(STAMP)
	@$(BIN)/python -m pytest -q -n $(JOBS) tests/scenes tests/matrix tests/reliability $(GAMES:%=tests/%)

soak: $(STAMP)
	@$(BIN)/python -m pytest -q -m soak --timeout 0 -o faulthandler_timeout=0

bench: $(STAMP)
	@$(BIN)/causeway bench $(BENCH)
	@set -e; for file in bench/[a-z]*.py; do $(BIN)/python -m bench.$$(basename $$file .py); done

fmt: $(STAMP)
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

# Versions and hashes only: the same file installs from any package index.
lock:
	@uv pip compile --quiet --universal --upgrade --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --extra dev pyproject.toml --output-file requirements.lock

clean:
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The lock brings setuptools, so the project itself installs without network and without build isolation.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Causeway needs Python 3.11 or later: make PYTHON=...")'
	@echo "setting up .venv ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $(STAMP)
