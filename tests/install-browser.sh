#!/bin/sh
# The browser tests drive Debian's chromium, best without its windows. Install it where it is
# missing and we may.
set -eu
command -v chromium-headless-shell >/dev/null && exit 0
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    # Slower, and as good.
    command -v chromium >/dev/null && exit 0
    echo "chromium is missing: apt-get install chromium-headless-shell fonts-dejavu-core" >&2
    exit 1
fi
echo "installing chromium ..."
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
install="$as_root apt-get install -y -qq --no-install-recommends"
$install chromium-headless-shell fonts-dejavu-core >/dev/null \
    || $install chromium fonts-dejavu-core >/dev/null
