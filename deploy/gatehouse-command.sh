#!/bin/sh
# `gatehouse` for the installation of gatehouse.service: the same settings, as the same user.
# Installed as /usr/local/bin/gatehouse; run it with: sudo -u gatehouse gatehouse …
# Variables that are set in the shell win over the settings file, so that a backup can be restored into
# another data folder or database.
# It always works in /var/lib/gatehouse: a gatehouse.env of any other folder is not read, and file names
# that do not begin with a slash are relative to it.
cd /var/lib/gatehouse || exit
own=$(export -p | grep -E '^(export|declare -x) GATEHOUSE_')
set -a
GATEHOUSE_DATA_DIR=/var/lib/gatehouse
. /etc/gatehouse/gatehouse.env
set +a
eval "$own"
exec /usr/bin/node /opt/gatehouse/current/bin/gatehouse.js "$@"
