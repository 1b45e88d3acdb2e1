#!/bin/sh
# Writes .env for docker-compose.yml with a new secret for each required variable. Never overwrites an existing .env.
set -eu
cd "$(dirname "$0")/.."

# Prints the given number of random bytes in hexadecimal digits.
random() { od -An -v -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

if [ -e .env ]; then
  echo 'compose-env: .env exists already. Keep it: without its MASTER_KEY, personal data is lost forever.' >&2
  exit 1
fi
umask 077
cat >.env <<END
MONGODB_ROOT_PASSWORD=$(random 24)
MONGODB_PASSWORD=$(random 24)
MONGODB_KEYFILE=$(random 64)
REDIS_PASSWORD=$(random 24)
MASTER_KEY=$(random 32)
END
echo 'compose-env: wrote .env. Keep a copy of MASTER_KEY elsewhere: without the key, personal data is lost forever.'
