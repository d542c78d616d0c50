# Builds and runs everything from a fresh checkout: `make demo`, `make test`. See `make help`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
PYTHON_TESTS := test-without-brokers test-brokers test-effects test-measured
.PHONY: help setup built demo test test-all lint test-java test-packages \
        $(PYTHON_TESTS) upstream-tests upstream-patch upstream-patch-test bench release clean tools brokers \
        engine browser docs results

VENV  := .venv
BIN   := $(VENV)/bin
PYTEST := $(BIN)/pytest
BUILT := pyharness/insync/_built
JAR   := plugin-java/agent/build/libs/insync-agent.jar
LAB   := plugin-java/lab/build/libs/insync-lab.jar
LOGS  := plugin-java/replicalogs/build/libs/insync-logs.jar
CLIENTS := plugin-java/clients/build/libs/insync-clients.jar
KAFKA_TESTS := plugin-java/kafkatests/build/libs/insync-kafka-tests.jar
BENCH := plugin-java/bench/build/libs/insync-bench.jar
MUTANTS := plugin-java/mutants/build/libs/insync-mutants.jar
FOR_TESTS := benchJar mutantsJar coreTestsClassPath
DEMO  := insync-runs/demo
TIMED := pyharness/timed.sh
TIMED_TEST := NOTES=build/test-times.txt $(TIMED)
# Half the CPU time of a short build is to compile Gradle's own code further than that pays.
export GRADLE_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
JAVA_SOURCES := $(shell find plugin-java bridge/java gradle build.gradle settings.gradle -type f \
                  -not -path '*/build/*' -not -path '*/src/test/*' -not -path 'plugin-java/upstream/*' -not -name '*.py*' 2>/dev/null)

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: tools ## build everything and leave .venv/bin/insync
	@# The Java build and the installation of Python packages use different resources, so they run in parallel.
	@$(MAKE) --no-print-directory -j2 built $(VENV)/.development
	@$(MAKE) --no-print-directory $(VENV)/.installed

tools:
	@pyharness/setup-tools.sh

JARS := $(addprefix $(BUILT)/,insync-agent.jar insync-lab.jar insync-logs.jar insync-clients.jar insync-kafka-tests.jar)
built: $(JARS) $(BUILT)/libinsync_stall.so $(BUILT)/broker-versions.properties

$(JARS) &: $(JAVA_SOURCES)
	@echo "insync: building the agent, the lab, the log reader, the Java clients and the runner of Kafka's tests (Gradle)"
	@$(TIMED) build gradle -q --no-daemon --console=plain agentJar labJar logsJar clientsJar kafkaTestsJar
	@mkdir -p $(BUILT) && cp $(JAR) $(LAB) $(LOGS) $(CLIENTS) $(KAFKA_TESTS) $(BUILT)

$(BUILT)/libinsync_stall.so: pyharness/insync/faults/support/native/stall.c pyharness/insync/faults/support/native/stall.h
	@echo "insync: building the stall shim (cc)"
	@mkdir -p $(BUILT)
	@cc -O2 -Wall -Wextra -Werror -shared -fPIC -o $@ $< -ldl -pthread

$(BUILT)/broker-versions.properties: gradle/broker-versions.properties
	@mkdir -p $(BUILT) && cp $< $@

# Python compiles a module when it is first used: most modules never are. It keeps what it compiled, whatever the caller's
# environment says: otherwise each of the hundreds of processes of a test run compiles all that it uses.
unexport PYTHONDONTWRITEBYTECODE
PIP_INSTALL := $(BIN)/pip install -q --disable-pip-version-check --no-compile
$(VENV)/.packages: pyproject.toml pyharness/constraints.txt
	@echo "insync: installing Python packages into $(VENV)"
	@$(TIMED) install python3 -m venv $(VENV)
	@$(BIN)/python pyharness/requirements.py pyproject.toml run > $(VENV)/run.txt
	@$(TIMED) install $(PIP_INSTALL) -c pyharness/constraints.txt -r $(VENV)/run.txt
	@touch $@

$(VENV)/.analysis: $(VENV)/.packages
	@echo "insync: installing the packages of the analysis into $(VENV)"
	@$(BIN)/python pyharness/requirements.py pyproject.toml analysis > $(VENV)/analysis.txt
	@$(TIMED) install $(PIP_INSTALL) -c pyharness/constraints.txt -r $(VENV)/analysis.txt
	@touch $@

# PySpark is published as sources: pip packs a wheel of its jars. Not to compress them again halves its CPU time.
$(VENV)/.spark: $(VENV)/.analysis
	@echo "insync: installing Apache Spark into $(VENV)"
	@$(BIN)/python pyharness/requirements.py pyproject.toml spark > $(VENV)/spark.txt
	@$(PIP_INSTALL) --config-settings=--build-option=--compression=stored -c pyharness/constraints.txt -r $(VENV)/spark.txt
	@touch $@

$(VENV)/.development: $(VENV)/.spark
	@echo "insync: installing Python packages for tests and benchmarks into $(VENV)"
	@$(BIN)/python pyharness/requirements.py pyproject.toml develop > $(VENV)/develop.txt
	@$(PIP_INSTALL) -c pyharness/constraints.txt -r $(VENV)/develop.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.packages pyproject.toml pyharness/hatch_build.py
	@$(TIMED) install $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

VERSIONS := # none: the default one
brokers: $(VENV)/.packages
	@PYTHONPATH=pyharness $(TIMED) brokers $(BIN)/python -m insync.brokers.kafka.resolve $(VERSIONS)

demo: tools ## a leader's disk hangs on real brokers: stock Kafka beside the agent, and a report
	@$(TIMED) --start
	@rm -rf $(DEMO)
	@# As for setup, without what only tests need; what the brokers need is fetched meanwhile.
	@$(MAKE) --no-print-directory -j3 built brokers $(VENV)/.analysis
	@$(MAKE) --no-print-directory $(VENV)/.installed
	@# As a matrix of one scenario, because its arms run side by side.
	@$(TIMED) run $(BIN)/insync matrix --only fenced-disk --arms stock,step-down --scale 1 --out $(DEMO)
	@$(TIMED) --report
	@echo "Open the page: $(abspath $(DEMO))/4.3.1/fenced-disk/report.html"

test: tools ## run every check: lint, types, Java tests, Python tests on real brokers
	@$(TIMED_TEST) --start
	@$(TIMED_TEST) setup $(MAKE) --no-print-directory setup
	@# Java's long tests mostly wait, mypy has one thread, and packages are downloaded, so the unit tests run beside them.
	@$(TIMED_TEST) unit $(MAKE) --no-print-directory -j4 lint test-java test-packages test-without-brokers
	@$(TIMED_TEST) brokers $(MAKE) --no-print-directory test-brokers
	@$(TIMED_TEST) effects $(MAKE) --no-print-directory test-effects
	@$(TIMED_TEST) measured $(MAKE) --no-print-directory test-measured
	@$(TIMED_TEST) --report

test-all: test ## the same, and the tests marked `long`: every arm of every scenario, more versions and examples
	@# They take hours, so a part with a failure does not end the others. Make still fails in the end.
	@HYPOTHESIS_PROFILE=thorough $(MAKE) --no-print-directory -j1 -k PYTEST='$(PYTEST) -m long' $(PYTHON_TESTS)

lint: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

test-java: setup $(BENCH)
	@gradle -q --no-daemon --console=plain junit

test-packages: setup browser
	@# After the browser, because there is one lock for system packages.
	@$(MAKE) --no-print-directory engine
	@# A test that needs another version fetches it, while the tests beside it have the CPU to themselves.
	@$(MAKE) --no-print-directory brokers VERSIONS='4.3.1 1.1.0 2.8.2 4.4.0'

engine: setup
	@pyharness/setup-docker.sh $(BIN)/python

browser:
	@pyharness/setup-browser.sh

# Files run in the order of the command, those of a folder by name. Otherwise those with the most tests run first, and a long file with few tests runs alone at the end.
TWO := -n 2 --dist loadfile --no-loadscope-reorder
WITH_BROKERS := tests/containers tests/integration
test-without-brokers: setup browser $(BENCH) $(MUTANTS)
	@# Two processes, one for each core of a small machine.
	@$(PYTEST) $(addprefix --ignore ,$(WITH_BROKERS)) $(TWO)

# These look at the recorded scenarios, measure a healthy broker's times, or run clusters two at a time themselves.
MEASURED := $(addprefix tests/integration/,test_scenarios.py test_step_down.py runs/test_why.py \
              runs/test_zookeeper_runs.py sensitivity/test_mutants.py)
# These measure the effect of a fault, which is far longer than a delay by one other test. The longest file is first.
EFFECTS := $(addprefix tests/integration/,test_bugs.py test_faults_disk.py test_stall_shim.py test_faults.py \
             test_faults_effects.py test_run.py)
test-brokers: setup engine $(MUTANTS)
	@# These wait for states, however long that takes, so two run at a time.
	@$(PYTEST) $(WITH_BROKERS) $(addprefix --ignore ,$(MEASURED) $(EFFECTS)) $(TWO)

test-effects: setup engine
	@# Two of these run at a time as well, but not beside other tests.
	@$(PYTEST) $(EFFECTS) $(TWO)

test-measured: setup engine $(MUTANTS)
	@# These run one after the other.
	@$(PYTEST) $(MEASURED)

# The same as `insync kafka-tests`; ARM selects one or more arms, default all.
KAFKA := 4.3.1
ARM   :=
comma := ,
space := $(subst ,, )
upstream-tests: setup ## run Kafka's own tests without and with the agent: KAFKA=4.3.1 ARM="read request"
	@$(BIN)/insync kafka-tests --kafka $(KAFKA) $(if $(ARM),--arms $(subst $(space),$(comma),$(strip $(ARM))))

UPSTREAM := PYTHONPATH=plugin-java/upstream $(BIN)/python -m patch_kafka
upstream-patch: setup ## build Kafka 4.3.1 with the three source patches: build/upstream-patch/libs for --kafka
	@gradle -q --no-daemon --console=plain upstreamPatchClassPath
	@$(UPSTREAM) build

upstream-patch-test: upstream-patch ## run the patches' own unit tests on Kafka's published test jars
	@$(UPSTREAM) test

$(BENCH) $(MUTANTS) &: $(JAVA_SOURCES)
	@echo "insync: building the benchmarks, and the mutants of the agent (Gradle)"
	@gradle -q --no-daemon --console=plain $(FOR_TESTS)

bench: setup $(BENCH) ## measure with JMH what the agent's core costs per partition of a fetch
	@$(BIN)/python plugin-java/bench/bench_core.py

$(VENV)/.release: $(VENV)/.packages
	@echo "insync: installing the tools of a release into $(VENV)"
	@$(BIN)/python pyharness/requirements.py pyproject.toml release > $(VENV)/release.txt
	@$(PIP_INSTALL) -c pyharness/constraints.txt -r $(VENV)/release.txt
	@touch $@

DRY_RUN :=
OUT     :=
release: tools $(VENV)/.release ## build jar and wheel twice, compare, describe and tag them: DRY_RUN=1 does not tag
	@PYTHONPATH=pyharness $(BIN)/python -m insync_release $(if $(DRY_RUN),--dry-run) $(if $(OUT),--out $(OUT))

PAGES := docs/results.md docs/bugs.md
results: setup ## run the commands of the pages of figures and write their tables; takes hours, resumes: PAGES=docs/bugs.md
	@PYTHONPATH=tests $(BIN)/python -m programs.results insync-runs/results $(PAGES)

# Each prints Markdown. test_docs.py runs them, too.
GENERATED := insync.arms insync.faults.registry insync.metrics insync.analysis.checks.registry
docs: setup ## write what is made of the code into build/docs: arms, faults, metrics, anomalies
	@mkdir -p build/docs
	@for each in $(GENERATED); do $(BIN)/python -m $$each > build/docs/$${each#*.}.md; done

clean: ## remove everything that was built or run here, but not the user's cache of broker distributions
	@rm -rf build .gradle */build plugin-java/*/build bridge/java/build $(BUILT) $(VENV) insync-runs dist
