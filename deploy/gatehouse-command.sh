#!/bin/sh
# `gatehouse` for the installation of gatehouse.service: the same settings, as the same user.
# Installed as /usr/local/bin/gatehouse; run it with: sudo -u gatehouse gatehouse … A data folder that
# is set already stays: a backup is restored into another one. It works in the data folder of the
# service, wherever it is typed: a gatehouse.env of any other folder is not read, and names of files are
# looked for there unless they begin with a slash.
cd /var/lib/gatehouse || exit
set -a
: "${GATEHOUSE_DATA_DIR:=/var/lib/gatehouse}"
. /etc/gatehouse/gatehouse.env
set +a
exec /usr/bin/node /opt/gatehouse/current/bin/gatehouse.js "$@"
