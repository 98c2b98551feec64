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
# The package would start a server on port 6379: while it is installed this forbids it.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap '$as_root rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
    $as_root chmod 755 $policy
fi
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends redis-server >/dev/null
# Nor at the next boot.
if command -v systemctl >/dev/null; then
    $as_root systemctl disable --quiet redis-server 2>/dev/null || true
fi
