#!/bin/sh
# Downloads the modules of the Go programs in test/go and compiles the programs, so that the tests find them in Go's cache.
# The programs verify the transparency log with libraries that the service does not use.
set -eu
cd "$(dirname "$0")/../test/go"
if ! command -v go >/dev/null; then
  echo 'go-install: Go 1.26 or later is missing: install it from https://go.dev/dl or with your package manager' >&2
  exit 1
fi
for module in walk witness; do
  (cd "$module" && go mod download && go build -o /dev/null ./...)
done
echo 'go-install: the Go programs are ready'
