#!/bin/sh
# Installs what the benchmark needs: wrk, and the packages of its baselines. Skips what is already installed.
set -eu
cd "$(dirname "$0")/.."

sh scripts/apt-install.sh wrk wrk

# The copy of the lock file beside the packages shows which versions are installed.
if ! cmp -s bench/package-lock.json bench/node_modules/package-lock.json; then
  npm ci --silent --prefix bench --no-audit --no-fund >&2
  cp bench/package-lock.json bench/node_modules/package-lock.json
fi
