#!/bin/sh
# Installs Chromium for the tests of the console, with apt if apt is available and the user is root. Skips it if it is
# installed, or if CHROMIUM names one.
set -eu

if [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo 'browser-install: Chromium is missing, and only root can install it with apt: install it with your package manager, or name it in CHROMIUM' >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
{ apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium >/dev/null; } >&2 || {
  echo 'browser-install: apt could not install chromium: install it with your package manager' >&2
  exit 1
}
