#!/bin/sh
# Runs the benchmark on the newest Node.js 24, as CI runs its suites: `npm run bench -- [--quick [--record]] [NAME...]`.
set -eu
cd "$(dirname "$0")/.."
sh scripts/bench-install.sh
PATH="$(sh scripts/node-install.sh 24):$PATH"
export PATH
npm run --silent build
npx tsc -p tsconfig.build.json --declaration --emitDeclarationOnly
npx tsc -p bench/tsconfig.json
exec node bench/dist/run.js "$@"
