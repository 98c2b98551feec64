#!/bin/sh
# The tests of the shared log start Redis servers of their own. Install Debian's where it is missing
# and we may; a Sentinel is the same program, started with --sentinel.
set -eu
command -v redis-server >/dev/null && command -v redis-cli >/dev/null && exit 0
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "redis-server is missing: apt-get install redis-server" >&2
    exit 1
fi
echo "installing redis-server ..."
# The package starts a server on port 6379. In runlevel 1 it starts none, and where systemd would
# start it at the next boot all the same, it is told not to.
started() { command -v systemctl >/dev/null && systemctl is-enabled --quiet redis-server 2>/dev/null; }
before=no
started && before=yes
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends redis-server >/dev/null
if [ "$before" = no ] && started; then
    $as_root systemctl disable --now --quiet redis-server || true
fi
