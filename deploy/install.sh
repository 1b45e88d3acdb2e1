#!/bin/sh
# Installs the service on one server from this checkout, or upgrades it: `sh deploy/install.sh`, as root. Keeps variables and data,
# and the version before in /opt/clinical-protocols.old. docs/one-server.md has the steps around it.
set -eu
cd "$(dirname "$0")/.."
program=/opt/clinical-protocols
variables=/etc/clinical-protocols.env
service=clinical-protocols

npm ci --no-audit --no-fund
npm run build
# Not "npm prune", which may take newer packages than the lock.
npm ci --omit=dev --no-audit --no-fund

id "$service" >/dev/null 2>&1 || useradd --system --home-dir "/var/lib/$service" --shell /usr/sbin/nologin "$service"
install --directory --owner="$service" --group="$service" --mode=0700 "/var/backups/$service"
[ -e "$variables" ] || cp deploy/clinical-protocols.env "$variables"
chgrp "$service" "$variables"
chmod 0640 "$variables"

# The running version stays whole until the new one is.
rm -rf "$program.new" && mkdir "$program.new"
cp -R package.json dist node_modules verifier "$program.new/"
install --mode=0755 deploy/clinical-protocols /usr/local/bin/clinical-protocols
install --mode=0644 deploy/*.service deploy/*.timer /etc/systemd/system/
systemctl daemon-reload
systemctl enable --quiet "$service"
systemctl enable --now --quiet "$service-backup.timer"

if [ -e "$program" ]; then
  systemctl stop "$service"
  rm -rf "$program.old" && mv "$program" "$program.old" && mv "$program.new" "$program"
  systemctl start "$service"
  echo "Upgraded. The version before is in $program.old"
else
  mv "$program.new" "$program"
  echo "Installed. Set PUBLIC_URL in $variables, then run: systemctl start $service"
fi
