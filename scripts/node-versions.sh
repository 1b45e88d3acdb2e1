#!/bin/sh
# Runs the tests that depend on the version of Node.js on the oldest version that we support, and on the newest 22 and
# 26: `npm run test:node`. All other suites of CI run on the newest 24. `npm run test:node -- 24.20.0` runs the tests on
# the named versions only.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- 20.19 22 26

for version in "$@"; do
  bin=$(sh scripts/node-install.sh "$version")
  echo "node-versions: Node.js $("$bin/node" --version)"
  (
    PATH="$bin:$PATH"
    node node_modules/vitest/vitest.mjs run --project unit
    node node_modules/vitest/vitest.mjs run --project embedded --project faults test/infrastructure/sqlite/ \
      test/infrastructure/facts/sqlite test/infrastructure/views/sqlite test/infrastructure/vault/sqlite \
      test/infrastructure/work/sqlite test/faults/owner test/repository/first-steps
  )
done
