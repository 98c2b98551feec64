# The whole life of the project in a few words: make run, make test, make check, make bench.
# Everything is installed into .venv; nothing outside the folder changes, except that `make test`
# installs Debian's chromium-headless-shell and redis-server where they are missing and it may.

PYTHON ?= python3
PORT ?= 8080
DATA ?= var/demo
VENV := .venv
BIN := $(VENV)/bin
# Images often switch bytecode off; tests start the program a thousand times, each time from source.
export PYTHONDONTWRITEBYTECODE :=
# A file stays on one core: its tests share servers and browsers.
ON_EVERY_CORE := --numprocesses=auto --dist=loadfile --no-loadscope-reorder
TEST_TAKES := ten to fifteen minutes on two cores, less on more
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run cluster test check drill failover bench lint types format clean help

help:
	@echo "make run     the demo floor on http://127.0.0.1:$(PORT) (PORT=, DATA= to change)"
	@echo "make cluster two nodes on Redis, a replica and Sentinels, to kill and to watch (PORTS=)"
	@echo "make test    every test, with all it needs: $(TEST_TAKES)"
	@echo "make check   lint, types and the quick tests: about two minutes"
	@echo "make drill   100,000 rounds settled both ways, by the tool and by a floor: about a minute"
	@echo "make failover nodes, Redis and Sentinels killed and hung under play: about five minutes"
	@echo "make bench   speed, as ratios measured in one run (BENCH='--only signs', '--quick')"

run: $(VENV)/installed-run
	@$(BIN)/progressive demo --listen 127.0.0.1:$(PORT) --data $(DATA)

# PORTS=8080,8081,8090: of both nodes, and of the relay of signs.
cluster: $(VENV)/installed-dev
	@sh tests/install-redis.sh
	@$(BIN)/python -m tests.cluster.run $(if $(PORTS),--ports $(PORTS))

test: $(VENV)/installed-dev
	@echo "every test: $(TEST_TAKES); make check is quicker"
	@sh tests/install-browser.sh
	@sh tests/install-redis.sh
	$(BIN)/python -m pytest -m "not bench and not drill" $(ON_EVERY_CORE)

check: lint types
	$(BIN)/python -m pytest $(ON_EVERY_CORE)

# DRILL="--rounds 5000 --seed 7" to play other rounds, or the same again.
drill: $(VENV)/installed-dev
	$(BIN)/python -m tests.conformance.floor_drill $(DRILL)

# FAILOVER="--faults 5 --seed 7" for fewer, or the same again.
failover: $(VENV)/installed-dev
	@sh tests/install-redis.sh
	$(BIN)/python -m pytest -m drill
	$(BIN)/python -m tests.failover.drill $(FAILOVER)

# BENCH="--only signs --quick" and the like.
bench: $(VENV)/installed-bench
	@sh tests/bench/install-peers.sh $(VENV)/bench
	$(BIN)/python -m tests.bench.run $(BENCH)

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

format: $(VENV)/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build

$(VENV)/installed-run: pyproject.toml | $(VENV)/bin/python
	@echo "installing into $(VENV) ..."
	@$(PIP) install --editable '.[fast]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "installing into $(VENV) ..."
	@$(PIP) install --editable '.[fast,dev]'
	@touch $@ $(VENV)/installed-run

$(VENV)/installed-bench: $(VENV)/installed-dev
	@$(PIP) install --editable '.[bench]' || echo "pip package websockets: not available here"
	@touch $@

# Debian's python3 comes without venv: it is installed where that is allowed, and asked for where not.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
		rm -rf $(VENV); \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null \
				&& $(PYTHON) -m venv $(VENV); \
		else \
			echo "python3-venv is missing: apt-get install python3-venv"; exit 1; \
		fi; }
