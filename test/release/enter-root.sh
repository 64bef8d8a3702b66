#!/bin/sh
# Runs a command in another root folder, with mounts that end with it:
#   unshare --mount enter-root.sh <root> <node> <user id, or root> <option>... -- <command>...
# Options:
#   read-only      nothing in the root can be written, except what the options below name
#   data:<path>    a folder of the root that can be written
#   memory:<path>  an empty folder in memory that everybody can write
set -e
root=$1 node=$2 user=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
# Programs and libraries of this machine stand in for those of a base image.
for part in bin sbin lib lib64 libexec share; do
  if [ -d "/usr/$part" ]; then
    mount --bind "/usr/$part" "$root/usr/$part"
    mount -o remount,bind,ro "$root/usr/$part"
  fi
done
mount --bind "$node" "$root/usr/local/bin/node"
mount -o remount,bind,ro "$root/usr/local/bin/node"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
readonly=
while [ "$1" != -- ]; do
  case $1 in
    read-only) readonly=yes ;;
    data:*) mount --bind "$root${1#data:}" "$root${1#data:}" ;;
    memory:*) mount -t tmpfs -o mode=1777 tmpfs "$root${1#memory:}" ;;
  esac
  shift
done
shift
if [ -n "$readonly" ]; then mount -o remount,bind,ro "$root"; fi
if [ "$user" = root ]; then exec chroot "$root" "$@"; fi
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all "$@"
