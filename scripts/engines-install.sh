#!/bin/sh
# Installs what the tests of the distributed engines and of deploy/ need: packages of Debian, and mongo-java-server, which stands in
# for MongoDB, with Maven into .engines/. Skips what is already installed.
set -eu
cd "$(dirname "$0")/.."
failed=0

missing() {
  echo "engines-install: $1" >&2
  failed=1
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

# haproxy is the proxy of docker-compose.yml. The last three check the files in deploy/.
for program in redis-server haproxy promtool:prometheus systemd-analyze:systemd caddy; do
  sh scripts/apt-install.sh "${program%:*}" "${program#*:}" || failed=1
done
install_mongo
compile_mongo
[ "$failed" -ne 0 ] || echo 'engines-install: redis-server, haproxy and the MongoDB stand-in are ready'
exit "$failed"
