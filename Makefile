# Two commands do everything on a machine with python3 and make: `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
DEMO := demo/epcg.db
DOMAINS := fling witness snakebird tangram puzzlescript deduction
FACES := cluster publishing research testing workbench
DISTRIBUTIONS := $(DOMAINS:%=plugins/%) $(FACES:%=plugins/%) plugins/epcg
SOURCES := pyproject.toml $(DISTRIBUTIONS:%=%/pyproject.toml) examples/epcg-sliding/pyproject.toml examples/epcg-rushhour/pyproject.toml examples/epcg-segments/pyproject.toml examples/epcg-hanoi/pyproject.toml examples/epcg-pcgbench/pyproject.toml constraints.txt
EXAMPLES := -e examples/epcg-sliding -e examples/epcg-rushhour -e examples/epcg-segments -e examples/epcg-hanoi -e examples/epcg-pcgbench
PLUGINS := $(DISTRIBUTIONS:%=-e %)
ENGINE := -e . $(DOMAINS:%=-e plugins/%)

WHEELS := build/wheels
FRESH := build/fresh
PAGES := build/pages
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
BOOK := epcg-docs-$(VERSION)
TIMES := build/test-times

# the tests start hundreds of interpreters: let them keep their byte code, whatever the environment says
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-slow test-nightly test-times lint format faces bench docs dist clean workbench

help:
	@echo "make demo       set up .venv, solve Fling! up to 6 pieces, show the best boards"
	@echo "make test       set up .venv, run the tests"
	@echo "make test-slow  also large instances, an hour"
	@echo "make test-nightly  also more instances of what those try (hours)"
	@echo "make test-times the tests, and the CPU seconds of each"
	@echo "make lint       ruff, mypy --strict, and the types of the pages"
	@echo "make faces      the engine without any face, and each face alone on it"
	@echo "make bench      the speeds, beside their references"
	@echo "make workbench  edit, play and analyse puzzles in the browser"
	@echo "make docs       the pages, into docs/_build/html"
	@echo "make dist       build all wheels, try them alone in a fresh environment, and pack the pages"
	@echo "make setup      set up .venv with everything that developers need"

.venv/use: $(SOURCES)
	@echo "setting up the environment in .venv (once; a minute or less from a warm package cache)"
	@test -d .venv || $(PYTHON) -m venv .venv
	@$(BIN)/pip install --disable-pip-version-check -q -c constraints.txt $(ENGINE)
	@touch $@

.venv/develop: .venv/use
	@echo "installing the developers' tools"
	@$(BIN)/pip install --disable-pip-version-check -q -c constraints.txt -e '.[dev]' $(PLUGINS) $(EXAMPLES)
	@touch $@

.venv/bench: .venv/develop
	@echo "installing the solvers that the benchmarks compare with"
	@$(BIN)/pip install --disable-pip-version-check -q -c constraints.txt -e '.[bench]'
	@touch $@

setup: .venv/develop

demo: .venv/use
	@mkdir -p demo
	@echo "solving Fling! boards of up to 6 pieces and measuring every uniquely solvable one"
	@echo "(the first time, compiling takes some seconds before the first step)"
	@$(BIN)/epcg run plugins/fling/queries/best_by_expert_ratio.toml --db $(DEMO)
	@winner="$$($(BIN)/epcg sql --db $(DEMO) --format csv "SELECT puzzle FROM kept ORDER BY json_extract(scores, '$$.expert_ratio') DESC, rank LIMIT 1" | tail -n 1)"; \
	$(BIN)/epcg render "$$winner" --solution --db $(DEMO) --output demo/winner.svg; \
	echo "Look at the board closely, or go one layer up (232 million boards, some seconds):"; \
	echo "  $(BIN)/epcg fling analyze --db $(DEMO) \"$$($(BIN)/epcg render "$$winner" --format text | head -n 8 | tr '\n' '/')\""; \
	echo "  $(BIN)/epcg run plugins/fling/queries/layers.toml --set generator.pieces=7 --db $(DEMO)"

.venv/workbench: .venv/use
	@$(BIN)/pip install --disable-pip-version-check -q -c constraints.txt $(ENGINE) \
	  -e 'plugins/workbench[datasette]' -e plugins/publishing
	@touch $@

workbench: .venv/workbench
	@mkdir -p demo
	@$(BIN)/epcg workbench --db $(DEMO)

test: .venv/develop
	$(BIN)/python -m pytest -q -n auto --dist worksteal

test-slow: .venv/develop
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not nightly"

test-nightly: .venv/develop
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "nightly or not nightly"

test-times: .venv/develop
	@rm -rf $(TIMES) && mkdir -p $(TIMES)
	EPCG_TEST_TIMES=$(TIMES) $(BIN)/python -m pytest -q -n auto --dist worksteal || true
	@$(BIN)/python -m tests.times $(TIMES)

lint: .venv/develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.page_types

format: .venv/develop
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/develop
	$(BIN)/python -m sphinx -W -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

dist: .venv/develop
	rm -rf $(WHEELS) $(FRESH) $(PAGES)
	@for source in . $(DISTRIBUTIONS); do \
	  $(BIN)/python -m build --wheel --no-isolation --outdir $(WHEELS) $$source >/dev/null || exit 1; done
	$(PYTHON) -m venv $(FRESH)
	$(FRESH)/bin/pip install --disable-pip-version-check -q -c constraints.txt $(WHEELS)/*.whl
	$(FRESH)/bin/pip install --disable-pip-version-check -q --dry-run -c constraints.txt --find-links $(WHEELS) 'epcg[all]'
	@mkdir $(FRESH)/work
	cd $(FRESH)/work && ../bin/epcg run fling/best_by_expert_ratio --db epcg.db
	cd $(FRESH)/work && for domain in $(DOMAINS); do ../bin/epcg check $$domain || exit 1; done
	@echo "the wheels in $(WHEELS) work by themselves"
	$(BIN)/python -m sphinx -W -q -b html docs $(PAGES)/$(BOOK)
	tar -C $(PAGES) -czf $(WHEELS)/$(BOOK).tar.gz $(BOOK)
	@echo "the pages are in $(WHEELS)/$(BOOK).tar.gz"

faces: .venv/develop
	rm -rf build/alone
	@mkdir -p build/alone
	$(BIN)/python -m tests.alone build/alone

bench: .venv/bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv demo build dist docs/_build node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
