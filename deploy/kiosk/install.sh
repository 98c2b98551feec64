#!/bin/sh
# Makes a Debian 12 machine into a sign: packages, a user, the kiosk's files, its unit. As root,
# from a checkout. Running it again changes nothing that is right already; the address of the sign
# is only changed where one is given.
set -eu

usage() {
    cat <<'TEXT'
install.sh [--url SIGN_URL] [--dry-run] [--root DIR]

  --url SIGN_URL  the sign's address: http://HOST:PORT/sign/SIGN
  --dry-run       only say what would be done
  --root DIR      only put the files there, under DIR; no packages, user or services
TEXT
}

url=''
dry_run=''
root=''
changed=''
while [ $# -gt 0 ]; do
    case $1 in
        --url) url=${2:?--url needs an address}; shift ;;
        --root) root=${2:?--root needs a folder}; shift ;;
        --dry-run) dry_run=yes ;;
        --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
# Nothing that a shell, systemd or a browser would read in another way than the next.
address='https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~-]+)*/sign/[A-Za-z0-9._-]+([?][A-Za-z0-9._~%&=-]+)?'
if [ "$url" ] && ! printf '%s' "$url" | grep -zqxE "$address"; then
    echo "install.sh: not a sign's address: $url" >&2
    exit 2
fi

here=$(dirname "$(readlink -f "$0")")
lib=$root/usr/lib/progressive-kiosk
settings=$root/etc/progressive-kiosk.env
user=kiosk
# Those after chromium: a login session for the unit, drawing, and letters for every language.
packages='cage chromium dbus libpam-systemd libgl1-mesa-dri python3 fonts-noto-core fonts-noto-cjk'

do_it() {
    if [ "$dry_run" ]; then
        echo "would: $*"
    else
        "$@"
    fi
}

# Only where it differs, so that a second run is quiet. put MODE FILE DESTINATION
put() {
    if cmp -s "$here/$2" "$3" && [ "$(stat -c %a "$3")" = "$1" ]; then
        return
    fi
    do_it install -D -m "$1" "$here/$2" "$3"
    changed=yes
}

# Whatever else stands in the settings stays as it is.
set_url() {
    if grep -qxF "SIGN_URL=$1" "$settings" 2>/dev/null; then
        return
    fi
    do_it sed -i "s|^SIGN_URL=.*|SIGN_URL=$(printf '%s' "$1" | sed 's/&/\\&/g')|" "$settings"
    changed=yes
}

if [ -z "$root" ]; then
    if [ -z "$dry_run" ] && [ "$(id -u)" != 0 ]; then
        echo "install.sh: root is needed" >&2
        exit 1
    fi
    missing=
    for package in $packages; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' \
            || missing="$missing $package"
    done
    if [ "$missing" ]; then
        do_it apt-get update
        # shellcheck disable=SC2086 # one word a package
        do_it apt-get install -y --no-install-recommends $missing
    fi
    if ! id "$user" >/dev/null 2>&1; then
        do_it adduser --system --group --home /var/lib/progressive-kiosk --shell /bin/sh "$user"
    fi
fi

put 755 run "$lib/run"
put 644 watch.py "$lib/watch.py"
put 644 waiting.html "$lib/waiting.html"
put 644 policies.json "$root/etc/chromium/policies/managed/progressive-kiosk.json"
put 644 99-progressive-kiosk.rules "$root/etc/udev/rules.d/99-progressive-kiosk.rules"
put 644 progressive-kiosk.service "$root/etc/systemd/system/progressive-kiosk.service"
# A key may be in it: for root, who starts the unit, alone.
[ -e "$settings" ] || put 600 kiosk.env "$settings"
[ -z "$url" ] || set_url "$url"

if [ -z "$root" ]; then
    if [ "$changed" ]; then
        do_it udevadm control --reload
        do_it udevadm trigger --subsystem-match=input
        do_it systemctl daemon-reload
        do_it systemctl restart progressive-kiosk.service
    fi
    do_it systemctl enable --now progressive-kiosk.service
fi
