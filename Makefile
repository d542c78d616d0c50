# Builds and runs everything from a fresh checkout: `make demo`, `make test`. See `make help`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup built demo test test-all lint test-java test-python upstream-tests bench clean tools engine browser

VENV  := .venv
BIN   := $(VENV)/bin
BUILT := pyharness/insync/_built
JAR   := plugin-java/agent/build/libs/insync-agent.jar
LOGS  := plugin-java/replicalogs/build/libs/insync-logs.jar
BENCH := plugin-java/bench/build/libs/insync-bench.jar
DEMO  := insync-runs/demo
# The KIP's example has a stall of 25 s and a lag limit of 10 s; scaled by 0.15 the demo takes about two minutes.
SCALE := 0.15
JAVA_SOURCES := $(shell find plugin-java bridge/java gradle build.gradle settings.gradle -type f \
                  -not -path '*/build/*' -not -path '*/src/test/*' 2>/dev/null)

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: tools ## build everything and leave .venv/bin/insync
	@# The Java build and the installation of Python packages use different resources, so they run in parallel.
	@$(MAKE) --no-print-directory -j2 built $(VENV)/.packages
	@$(MAKE) --no-print-directory $(VENV)/.installed

tools:
	@pyharness/setup-tools.sh

built: $(BUILT)/insync-agent.jar $(BUILT)/insync-logs.jar $(BUILT)/libinsync_stall.so $(BUILT)/broker-versions.properties

$(BUILT)/insync-agent.jar $(BUILT)/insync-logs.jar &: $(JAVA_SOURCES)
	@echo "insync: building the agent and the log reader (Gradle)"
	@gradle -q --no-daemon --console=plain agentJar logsJar
	@mkdir -p $(BUILT) && cp $(JAR) $(LOGS) $(BUILT)

$(BUILT)/libinsync_stall.so: pyharness/insync/faults/support/native/stall.c pyharness/insync/faults/support/native/stall.h
	@echo "insync: building the stall shim (cc)"
	@mkdir -p $(BUILT)
	@cc -O2 -Wall -Wextra -Werror -shared -fPIC -o $@ $< -ldl -pthread

$(BUILT)/broker-versions.properties: gradle/broker-versions.properties
	@mkdir -p $(BUILT) && cp $< $@

$(VENV)/.packages: pyproject.toml pyharness/constraints.txt
	@echo "insync: installing Python packages into $(VENV)"
	@python3 -m venv $(VENV)
	@$(BIN)/python pyharness/requirements.py pyproject.toml > $(VENV)/requirements.txt
	@$(BIN)/pip install -q --disable-pip-version-check -c pyharness/constraints.txt -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.packages pyproject.toml pyharness/hatch_build.py
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## run KIP-501's example on real brokers, stock against scope "request", and make a report
	@rm -rf $(DEMO)
	@$(BIN)/insync run kip-501 --arms stock,request --scale $(SCALE) --record-only --out $(DEMO)/kip-501
	@echo "insync: next, a stall that only the scope \"request\" covers:"
	@$(BIN)/insync run send-stall --arms stock,read,request --record-only --out $(DEMO)/send-stall
	@$(BIN)/insync report $(DEMO)/kip-501 $(DEMO)/send-stall

test: setup ## run every check: lint, types, Java tests, Python tests on real brokers
	@# Neither uses a whole machine: mypy has one thread, and Java's tests start one JVM after the other.
	@$(MAKE) --no-print-directory -j2 -O lint test-java
	@$(MAKE) --no-print-directory test-python

test-all: test ## the same, and the tests marked `long`: every arm of every scenario, more versions and examples
	@HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -m long

lint: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

test-java: setup
	@gradle -q --no-daemon --console=plain junit

engine: setup
	@pyharness/setup-docker.sh $(BIN)/python

browser:
	@pyharness/setup-browser.sh

WITH_BROKERS := integration containers
test-python: setup engine browser $(BENCH)
	@# Tests without brokers mostly wait for Spark's planner, which uses one core. Tests with brokers must not run
	@# in parallel, because they measure time.
	@$(BIN)/pytest $(addprefix --ignore tests/,$(WITH_BROKERS)) -n 2 --dist loadfile
	@$(BIN)/pytest $(addprefix tests/,$(WITH_BROKERS))

# KAFKA is one of the versions in tests/upstream/versions.toml; ARM selects one or more arms, default all.
KAFKA := 4.3.1
ARM   :=
upstream-tests: setup ## run Kafka's own tests without and with the agent: KAFKA=4.3.1 ARM="read request"
	@gradle -q --no-daemon --console=plain agentJar upstreamClassPath -Pupstream=$(KAFKA)
	@PYTHONPATH=tests $(BIN)/python -m upstream.run $(KAFKA) $(ARM)

$(BENCH): $(JAVA_SOURCES)
	@echo "insync: building the benchmarks (Gradle)"
	@gradle -q --no-daemon --console=plain benchJar

bench: setup $(BENCH) ## measure with JMH what the agent's core costs per partition of a fetch
	@$(BIN)/insync bench tracker

clean: ## remove everything that was built or run here, but not the user's cache of broker distributions
	@rm -rf build .gradle */build plugin-java/*/build bridge/java/build $(BUILT) $(VENV) insync-runs dist
