# Rowhouse: build, run, test. `make run` and `make test` are all that is needed on a fresh machine
# that has Rust, gcc and make; what is missing is installed by scripts/setup.

# Outside the tree, so that several checkouts share the two large dependencies.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/rowhouse/target
# RocksDB compiled by scripts/rocksdb, which takes a third of the crate's own time.
export ROCKSDB_LIB_DIR ?= $(shell scripts/rocksdb --where)
export ROCKSDB_STATIC = 1

# Where `make run` keeps its rows, and further flags for it:
#   make run DATA_DIR=/srv/rows FLAGS="--mysql-port 3307 --memory 4GiB"
DATA_DIR ?= $(HOME)/.local/share/rowhouse
FLAGS ?=

program = $(CARGO_TARGET_DIR)/release/rowhouse
# What is served: the same without symbols, which are in $(served).debug.
served = $(CARGO_TARGET_DIR)/rowhouse

.PHONY: build package install run check test functions unit scripts suites suite-packages applications fuzz crashes shapes lint setup rocksdb peers sample

# The server alone; its dependencies have the features that the whole workspace gives them.
build: setup rocksdb
	cargo build --release --package server
	@scripts/strip-program $(program) $(served)

# A .deb and an .rpm with their debug information apart, in PACKAGES.
PACKAGES ?= $(CARGO_TARGET_DIR)/packages
package: build
	packaging/package $(program) "$(PACKAGES)"

# What a package holds, into this system or a tree: make install DESTDIR=/tmp/tree PREFIX=/usr
DESTDIR ?=
PREFIX ?= /usr/local
install: build
	packaging/install $(served) "$(DESTDIR)" "$(PREFIX)"

run: build
	exec $(served) serve --data-dir "$(DATA_DIR)" $(FLAGS)

# For who is in the middle of work, in minutes: lints, and the tests that start none of the peers,
# with few power cuts and no fuzzing, compiled quickly.
check: lint
	TZ=UTC ROWHOUSE_CUTS=10 ROWHOUSE_KILLS=3 \
		scripts/quick test --no-fail-fast -- --skip beside_peers::

# Everything: unit and integration tests, then real clients and the original servers, then a little
# fuzzing of each decoder, begun from all inputs that are kept, and always the same; what
# follows runs also when something failed before.
test:
	@status=0; $(MAKE) unit || status=1; $(MAKE) scripts || status=1; \
	$(MAKE) fuzz SECONDS=20 SEED=1 RUNS=20000 || status=1; exit $$status

unit: setup rocksdb peers
	TZ=UTC cargo test --release --workspace --no-fail-fast

scripts: setup rocksdb peers suite-packages
	cargo build --release --package server --package lab
	ROWHOUSE=$(program) scripts/run-tests

# The test suites of frameworks and drivers, whole, here and at MySQL and MariaDB; an hour. One by name:
#   make suites SUITES=django
SUITES ?=
suites: setup rocksdb peers suite-packages
	scripts/install-suites --whole
	cargo build --release --package server
	ROWHOUSE=$(program) tests/clients/run jdbc mysqlasync methods
	ROWHOUSE=$(program) tests/suites/run --whole $(SUITES)

suite-packages:
	scripts/install-suites
	scripts/install-applications --short

# Whole applications, set up and used here and at MariaDB; some minutes. One by name:
#   make applications APPLICATIONS=wordpress
APPLICATIONS ?=
applications: setup rocksdb peers
	scripts/install-applications
	cargo build --release --package server
	ROWHOUSE=$(program) tests/applications/run --whole $(APPLICATIONS)

# Every decoder under libFuzzer, for so many seconds each, two at a time; an hour by hand:
#   make fuzz SECONDS=3600
SECONDS = 60
SEED = 0
RUNS = -1
fuzz: setup rocksdb
	scripts/fuzz --seconds $(SECONDS) --seed $(SEED) --runs $(RUNS)

# Power cuts under each durability, and kills, far more than the tests make; about half an hour.
#   make crashes CUTS=5000 KILLS=500
CUTS ?= 1800
KILLS ?= 500
crashes: setup rocksdb
	ROWHOUSE_CUTS=$(CUTS) ROWHOUSE_KILLS=$(KILLS) \
		cargo test --release --workspace --test crash -- --nocapture --test-threads=2

# All shapes of statements over a million rows in little memory; about ten minutes.
shapes: setup rocksdb
	ROWHOUSE_SHAPES=all TZ=UTC cargo test --release --workspace --test server-tests -- \
		million_rows:: --nocapture

lint: setup rocksdb
	scripts/decision-index --check
	scripts/wrap-docs --check
	scripts/module-graph --check
	scripts/tidy
	scripts/deny
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings

setup:
	scripts/setup

rocksdb: setup
	@scripts/rocksdb >/dev/null

peers: setup
	scripts/install-peers

# The commented file of all settings, made from their table.
# The list of functions in docs/sql.md, from their tables.
functions: setup rocksdb
	TZ=UTC ROWHOUSE_WRITE_DOCS=1 cargo test --release --workspace --test sql-tests -- functions_page::

sample: build
	$(program) sample > rowhouse.sample.toml
