#!/bin/sh
# Installs what the benchmark needs: wrk, with apt if apt is available and the user is root, and the packages of its
# baselines. Skips what is already installed.
set -eu
cd "$(dirname "$0")/.."

if ! command -v wrk >/dev/null; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo 'bench-install: wrk is missing, and only root can install it with apt: install wrk with your package manager' >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq update && apt-get -qq install --yes --no-install-recommends wrk >/dev/null; } >&2 || {
    echo 'bench-install: apt could not install wrk: install it with your package manager' >&2
    exit 1
  }
fi

# The copy of the lock file beside the packages shows which versions are installed.
if ! cmp -s bench/package-lock.json bench/node_modules/package-lock.json; then
  npm ci --silent --prefix bench --no-audit --no-fund >&2
  cp bench/package-lock.json bench/node_modules/package-lock.json
fi
