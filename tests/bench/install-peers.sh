#!/bin/sh
# The servers that `make bench` measures beside our own and that are no Python packages, into a
# folder: nothing outside it changes. What cannot be had is left out, and the bench says so.
set -u
folder=$1
mkdir -p "$folder"
cd "$folder" || exit 0

if [ ! -d node_modules/ws ] && command -v npm >/dev/null; then
    npm install --silent --no-audit --no-fund --no-save --prefix . ws >/dev/null 2>&1 ||
        echo "npm package ws: not available here"
fi

fetch_nats() {
    apt-get download -qq nats-server >/dev/null 2>&1
}
if [ ! -x usr/sbin/nats-server ] && command -v apt-get >/dev/null; then
    fetch_nats || { [ "$(id -u)" = 0 ] && apt-get update -qq >/dev/null 2>&1 && fetch_nats; }
    dpkg-deb --extract nats-server_*.deb . 2>/dev/null ||
        echo "Debian package nats-server: not available here"
    rm -f nats-server_*.deb
fi
exit 0
