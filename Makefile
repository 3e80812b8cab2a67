# Needs Python 3.11-3.13 only. PYTHON= names another one, VENV= another place for the environment.
VENV ?= .venv
SUPPORTED = import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c '$(SUPPORTED)' 2>/dev/null && echo $$python && break; done)

BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
GROUNDGRAPH = $(BIN)/groundgraph
CODE = graphs nodes state groundgraph tests benchmarks docs examples notebooks

.PHONY: install demo test notebooks benchmark docs lint format typecheck clean
.DEFAULT_GOAL = install

install: $(VENV)/installed-dev  ## everything, for working on the project

demo: $(VENV)/installed-local  ## index the pages of docs/, then ask in English, in Chinese, and what the docs do not answer
	$(GROUNDGRAPH) index docs/*.md docs/patterns --collection demo
	$(GROUNDGRAPH) ask --collection demo "What happens when a citation points at no passage?"
	$(GROUNDGRAPH) ask --collection demo "没有 API 密钥也能使用吗？"
	$(GROUNDGRAPH) ask --collection demo "Who won the 1998 FIFA World Cup?"; test $$? -eq 3  # refused

test: $(VENV)/installed-dev  ## every test, the embedded models' too
	$(BIN)/pytest

notebooks: $(VENV)/installed-dev  ## execute every notebook, with the embedded models
	GROUNDGRAPH_HOME=$(CURDIR)/build/notebooks $(BIN)/pytest --nbmake --force-enable-socket --durations=0 notebooks

benchmark: $(VENV)/installed-dev  ## both in short; QA= (or GROUNDGRAPH_QA) is the folder of questions and passages
	$(BIN)/python -m benchmarks.orchestration --runs 5
	$(BIN)/python -m benchmarks.retrieval $(QA) --sizes 1000 10000 --real 256 --skip quality embedding

docs: $(VENV)/installed-dev  ## the pages of docs/ as a site in site/; a warning, a dead link or an outside address fails it
	$(BIN)/sphinx-build --builder html --fail-on-warning --fresh-env --quiet --doctree-dir build/doctrees docs site

lint: $(VENV)/installed-dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/lint-imports

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

typecheck: $(VENV)/installed-dev
	$(BIN)/mypy

clean:  ## the environment and what tools left behind; collections and weights stay
	rm -rf $(VENV) build site docs/_drawings *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# A file in the environment says that an extra is installed, so that it is not installed again.
$(VENV)/installed-local $(VENV)/installed-dev: $(VENV)/installed-%: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[$*]'
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 with venv was not found: make PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
