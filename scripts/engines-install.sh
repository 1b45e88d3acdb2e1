#!/bin/sh
# Installs what the tests of the distributed engines need: redis-server and haproxy, with apt if apt is available and
# the user is root, and mongo-java-server, which stands in for MongoDB, with Maven into .engines/. Skips what is already
# installed.
set -eu
cd "$(dirname "$0")/.."
failed=0

missing() {
  echo "engines-install: $1" >&2
  failed=1
}

# Installs the package of a program with apt.
install_program() {
  if command -v "$1" >/dev/null; then return; fi
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    missing "$1 is missing, and only root can install it with apt: install it with your package manager"
    return
  fi
  # The package must not start a service: the tests start their own.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  { apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$2" >/dev/null; } ||
    missing "apt could not install $2"
}

# The pom names the versions. The copy of the pom beside the jars shows which versions are installed.
install_mongo() {
  pom=test/support/mongo-java-server/pom.xml
  target=.engines/mongo-java-server
  if cmp -s "$pom" "$target/pom.xml"; then return; fi
  if ! command -v mvn >/dev/null; then
    missing 'mongo-java-server needs Maven (mvn) and a JDK of version 17 or later'
    return
  fi
  fresh="$PWD/.engines/fresh-$$"
  mkdir -p "$fresh"
  if mvn --quiet --batch-mode --file "$pom" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$fresh"; then
    cp "$pom" "$fresh/pom.xml"
    rm -rf "$target"
    mv "$fresh" "$target"
  else
    rm -rf "$fresh"
    missing 'Maven could not fetch mongo-java-server'
  fi
}

# Compiles the server once, so that it starts without compiling.
compile_mongo() {
  source=test/support/mongo-java-server/Server.java
  target=.engines/mongo-java-server
  if [ ! -d "$target" ] || cmp -s "$source" "$target/Server.java"; then return; fi
  if javac -d "$target" -cp "$target/*" "$source"; then
    cp "$source" "$target/Server.java"
  else
    missing 'javac could not compile the MongoDB stand-in'
  fi
}

install_program redis-server redis-server
# The proxy of docker-compose.yml.
install_program haproxy haproxy
install_mongo
compile_mongo
[ "$failed" -ne 0 ] || echo 'engines-install: redis-server, haproxy and the MongoDB stand-in are ready'
exit "$failed"
