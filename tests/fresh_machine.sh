#!/bin/sh
# fresh_machine.sh ROOT [SUITE [MIRROR]]: tries the README's two commands on a bare Debian or
# Ubuntu. Run by hand, as root: debootstrap makes ROOT (its smallest variant; SUITE is bookworm if
# not given), HEAD is cloned to /root in it, which other users cannot enter, and ./bootstrap demo
# and ./bootstrap test run there. A ROOT that exists is used again, with a new clone. Half an hour.
set -eu

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
	sed -n '2,5s/^# //p' "$0" >&2
	exit 2
fi
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
root=$(cd "$1" && pwd)
suite=${2-bookworm}
shift "$(($# < 2 ? $# : 2))"

[ -x "$root/bin/sh" ] || debootstrap --variant=minbase "$suite" "$root" "$@"
rm -rf "$root/root/deepprof"
git clone -q "$source" "$root/root/deepprof"
chmod 700 "$root/root"

mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
for command in demo test; do
	printf '%s\n' "fresh_machine: ./bootstrap $command"
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		chroot "$root" sh -c "cd /root/deepprof && ./bootstrap $command"
done
