#!/bin/sh
# The browser tests drive Debian's chromium. Install it where it is missing and we may.
set -eu
command -v chromium >/dev/null && exit 0
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "chromium is missing: apt-get install chromium fonts-dejavu-core" >&2
    exit 1
fi
echo "installing chromium ..."
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
