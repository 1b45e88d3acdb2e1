#!/bin/sh
# Installs the package of a program, with apt if apt is available and the user is root: `sh scripts/apt-install.sh PROGRAM
# PACKAGE`. Skips it if the program is installed.
set -eu

if command -v "$1" >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "apt-install: $1 is missing, and only root can install it with apt: install it with your package manager" >&2
  exit 1
fi
# The package must not start a service: the tests start their own.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
{ apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$2" >/dev/null; } >&2 || {
  echo "apt-install: apt could not install $2: install it with your package manager" >&2
  exit 1
}
