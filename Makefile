# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
CONSTRAINTS := $(wildcard .ci/constraints.txt)
PINNED := $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
FUZZ_SECONDS ?= 600
SEEDED := $(if $(SEED),--seed $(SEED))

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench peers fuzz sanitize wasm runtime docs dist interop clean

help:  ## what there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ –/'

# The virtual environment is made anew in place whenever the dependencies change.
$(VENV)/.ready: pyproject.toml $(CONSTRAINTS) $(wildcard native/pyproject.toml native/CMakeLists.txt native/src/* native/mocapella_native/*.py)
	@command -v $(PYTHON) >/dev/null || { echo "missing: $(PYTHON); install Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "missing: Python 3.11 or newer; say make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "missing: Python's venv module; on Debian: apt-get install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINNED) -e '.[plots,studio,dev]'
	@if command -v $${CXX:-c++} >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null; then \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check ./native \
	  || echo "the native core could not be built; players and crowds run in NumPy"; \
	else echo "missing: a C++ compiler; players and crowds run in NumPy"; fi
	@touch $@

# The glTF validator is a node program; without node its one test is skipped with a reason (in CI it fails).
tests/js/node_modules/.ready: tests/js/package.json tests/js/package-lock.json
	@if command -v npm >/dev/null; then npm ci --silent --no-audit --no-fund --prefix tests/js && touch $@; \
	else echo "missing: node and npm; the glTF validator is left out"; fi

# The studio's page is built into the package; without node the studio says that its page is missing, all else works.
WEB_SOURCES := $(shell find web/src web/public -type f 2>/dev/null) web/index.html web/vite.config.ts web/vite.viewer.config.ts web/tsconfig.json native/wasm/mocapella.mjs native/wasm/mocapella.d.mts
STATIC := mocapella/studio/static
web/node_modules/.ready: web/package.json web/package-lock.json
	@if command -v npm >/dev/null; then npm ci --silent --prefix web && touch $@; \
	else echo "missing: node 20.19 or newer and npm; the studio's page is not built"; fi

$(STATIC)/.built: web/node_modules/.ready $(WEB_SOURCES)
	@if test -e web/node_modules/.ready; then npm run --silent --prefix web build && touch $@; fi

web: $(STATIC)/.built  ## build the studio's page into the package

# The library for other programs is put into the package: its sources, and its WebAssembly build by the clang of the
# ziglang wheel, which needs nothing else, since the library includes no C++ library. Without it all else works.
# Loops keep their pointers (-disable-lsr): WebAssembly adds constants to them at no cost, sums it has to work out.
# A second build has products and sums in one instruction (relaxed SIMD), which not all engines know.
RUNTIME := mocapella/exporting/runtime
LIBRARY := $(addprefix native/src/,crowd.cpp mocar.cpp network.cpp characters.cpp changes.cpp crossover.cpp)
WASM_FLAGS := -target wasm32-freestanding -std=c++17 -O3 -msimd128 -mllvm -disable-lsr -fno-math-errno -fno-trapping-math \
  -fno-exceptions -fno-rtti -fvisibility=hidden -nostdlib -fno-sanitize=all -s -DW=4 -DNB=2 \
  -Wl,--no-entry -rdynamic -Wl,-z,stack-size=1048576
LIBRARY_HEADERS := $(addprefix native/src/,crowd.h crowd_legs.h crowd_plants.h crowd_points.h crowd_words.h foot_constants.h lanes.h network.h characters.h crossover.h)
EMBEDDING := native/wasm/mocapella.mjs examples/07_embedding/poses.c examples/07_embedding/poses.mjs
$(RUNTIME)/.built: $(LIBRARY) $(LIBRARY_HEADERS) $(EMBEDDING) native/include/mocapella.h native/wasm/memory.cpp $(VENV)/.ready
	@mkdir -p $(RUNTIME)/src $(RUNTIME)/include
	@cp $(LIBRARY) $(LIBRARY_HEADERS) $(RUNTIME)/src && cp native/include/mocapella.h $(RUNTIME)/include && cp $(EMBEDDING) $(RUNTIME)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINNED) 'ziglang>=0.13' \
	|| echo "missing: the ziglang wheel; mocapella.wasm is not built, and pages cannot be --steerable"
	@if $(BIN)/python -c 'import ziglang' 2>/dev/null; then \
	  $(BIN)/python -m ziglang c++ $(WASM_FLAGS) $(LIBRARY) native/wasm/memory.cpp -o $(RUNTIME)/mocapella.wasm && \
	  $(BIN)/python -m ziglang c++ $(WASM_FLAGS) -mrelaxed-simd $(LIBRARY) native/wasm/memory.cpp \
	  -o $(RUNTIME)/mocapella-relaxed.wasm && touch $@; fi

runtime: $(RUNTIME)/.built  ## the library for other programs, as C sources and WebAssembly, into the package

# The browser tests want Debian's chromium; where root it is installed, elsewhere they are skipped with a reason.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && { apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 || \
	{ apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends chromium >/dev/null; }; }; } || \
	echo "missing: chromium; the browser tests are left out (on Debian: apt-get install chromium)"

demo: $(VENV)/.ready $(STATIC)/.built $(RUNTIME)/.built  ## run the main job on the embedded actor
	$(BIN)/mocapella demo -o demo

# Neighbours stay on one worker and share their fixtures. Hundreds of tests start programs, which takes 0.4 s where
# modules are kept compiled and 0.7 s where the environment forbids that. Types and shapes are checked in the tests of the
# parts (tests/shapes.py); those that run whole programs go without, as users run them and in half of the time.
# Products of matrices take one thread: several, on cores that are busy with other tests, wait for each other.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest --dist worksteal
WAITING := $(shell expr $(JOBS) + 1)  # they wait for the programs that they start
WHOLE := $(addprefix tests/,browser cli crowd exporting fuzz golden library pictures studies studio test_examples.py test_pages.py)
test: $(VENV)/.ready tests/js/node_modules/.ready $(STATIC)/.built $(RUNTIME)/.built browser  ## every test
	@status=0; \
	echo "parts, with shapes checked"; $(PYTEST) -n $(JOBS) $(WHOLE:%=--ignore=%) || status=1; \
	echo "whole programs"; $(PYTEST) -n $(WAITING) -o addopts="-q --strict-markers --import-mode=importlib" $(WHOLE) || status=1; \
	exit $$status

lint: $(VENV)/.ready web/node_modules/.ready  ## style, types, and which way imports point
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@if test -e web/node_modules/.ready; then npm run --silent --prefix web format:check; \
	else echo "missing: node and npm; the style of web/ is not checked"; test -z "$$CI"; fi
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.ready web/node_modules/.ready  ## put the sources in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@if test -e web/node_modules/.ready; then npm run --silent --prefix web format; \
	else echo "missing: node and npm; web/ is left as it is"; fi

bench: $(VENV)/.ready  ## our figures, the peers' and the published ones, side by side
	$(BIN)/python -m benchmarks

# ozz-animation, of a folder with its sources (OZZ=…) or as installed; `mocapella bench crowd` finds what is built here.
PEERS := benchmarks/peers
RECORDED := 'mocapella bench crowd' shows the recorded figures of ozz-animation, marked so
peers:  ## build the comparison with ozz-animation (OZZ=folder of its sources)
	@if ! command -v cmake >/dev/null; then echo "missing: cmake; $(RECORDED)"; \
	elif test -n "$(OZZ)" && ! test -f "$(OZZ)/include/ozz/animation/runtime/sampling_job.h"; then \
	  echo "missing: sources of ozz-animation in $(OZZ); $(RECORDED)"; exit 1; \
	elif rm -rf $(PEERS)/build; ! cmake -S $(PEERS) -B $(PEERS)/build $(if $(OZZ),-DOZZ=$(abspath $(OZZ))) >$(PEERS)/cmake.log 2>&1; then \
	  mkdir -p $(PEERS)/build && mv $(PEERS)/cmake.log $(PEERS)/build; $(if $(OZZ),\
	  echo "ozz-animation cannot be configured (see $(PEERS)/build/cmake.log); $(RECORDED)"; exit 1,\
	  echo "missing: ozz-animation; say make peers OZZ=folder of its sources; $(RECORDED)"); \
	elif mv $(PEERS)/cmake.log $(PEERS)/build && cmake --build $(PEERS)/build --target ozz_feet -j $(JOBS) >>$(PEERS)/build/cmake.log 2>&1; then \
	  $(PEERS)/build/ozz_feet 10000 5; \
	else echo "ozz-animation cannot be built (see $(PEERS)/build/cmake.log); $(RECORDED)"; exit 1; fi

fuzz: $(VENV)/.ready $(RUNTIME)/.built  ## damage files of every kind and use them (FUZZ_SECONDS=600, SEED=… to repeat)
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS) $(SEEDED)

wasm: $(RUNTIME)/.built  ## the library for other programs and web pages, and its tests
	$(BIN)/python -m pytest -q -p no:xdist tests/exporting/test_embedding.py

sanitize: $(VENV)/.ready  ## call the native core with wrong and random arguments under sanitizers (SEED=… to repeat)
	mkdir -p native/build
	$${CXX:-g++} -std=c++17 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-math-errno \
	  -fno-trapping-math -Wno-psabi -fPIC -shared -DCROWD_THREADS -DW=4 -DNB=1 -march=x86-64-v2 \
	  native/src/crowd.cpp native/src/pool.cpp $(addprefix native/src/,$(addsuffix .cpp,player gait plants feet)) -o native/build/core_sanitized.so -pthread
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libstdc++.so)" \
	  MOCAPELLA_NATIVE=$(CURDIR)/native/build/core_sanitized.so PYTHONPATH=$(CURDIR)/native \
	  sh -c '$(BIN)/python -m tests.crowd.abi --cases 400 $(SEEDED) && $(BIN)/python -m tests.playback.native.abi --cases 4000 $(SEEDED)'
	$${CXX:-g++} -std=c++17 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-psabi -fPIC -shared \
	  $(LIBRARY) -o native/build/library_sanitized.so
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libstdc++.so)" \
	  $(BIN)/python -m tests.exporting.damaged --library native/build/library_sanitized.so --cases 4000 $(SEEDED)

$(VENV)/.docs-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINNED) -e '.[docs]'
	@touch $@

docs: $(VENV)/.docs-ready  ## the manual, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html

# Blender as a Python package (some 800 MB), Debian's Godot 3 and 4; nightly in CI's workflow, not part of `make test`.
interop: $(VENV)/.ready  ## our files in Blender and Godot, scripts for Unity compiled
	test -x .interop/bin/python || $(PYTHON) -m venv .interop
	.interop/bin/python -m pip install --quiet --disable-pip-version-check bpy || echo "missing: bpy for this Python; Blender is left out"
	@command -v godot3-server >/dev/null || { test "$$(id -u)" = 0 && apt-get install -y -qq godot3-server >/dev/null; } \
	|| echo "missing: godot3-server; Godot 3 is left out"
	@command -v mcs >/dev/null || { test "$$(id -u)" = 0 && apt-get install -y -qq --no-install-recommends mono-mcs >/dev/null; } \
	|| echo "missing: mono-mcs; the scripts for Unity are not compiled"
	@command -v godot >/dev/null || sh tests/interop/godot4.sh .interop/godot4 || echo "missing: Godot 4; its tests are left out"
	MOCAPELLA_INTEROP=.interop/bin/python MOCAPELLA_GODOT="$$(command -v godot || echo .interop/godot4/godot)" \
	  $(BIN)/python -m pytest -p no:xdist tests/interop

dist: $(VENV)/.ready $(STATIC)/.built $(RUNTIME)/.built  ## wheel, source archive and the native core's wheel, in dist/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist
	@for file in studio/static/index.html studio/static/viewer.js exporting/runtime/mocapella.wasm exporting/runtime/mocapella-relaxed.wasm exporting/runtime/include/mocapella.h; do \
	  $(BIN)/python -m zipfile -l $$(ls -t dist/mocapella-*.whl | head -1) | grep "mocapella/$$file" >/dev/null || { echo "the wheel lacks $$file"; exit 1; }; done
	$(BIN)/python -m build --wheel --outdir dist native || echo "the native core could not be built; players and crowds run in NumPy"

clean:  ## remove everything that was made
	rm -rf $(VENV) .interop tests/js/node_modules web/node_modules $(STATIC) $(RUNTIME) $(PEERS)/build docs/_build demo .pytest_cache .mypy_cache .ruff_cache
