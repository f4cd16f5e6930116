#!/bin/sh
# install.sh MESON BUILD_DIR CORE_ARCHIVE README SOURCE COMPILER…: installs into an empty folder and builds SOURCE
# with the README's commands, which know nothing but pkg-config's answer, then runs it. CORE_ARCHIVE has the objects
# of the static library where the build has none.
set -eu
meson=$1 build=$2 core=$3 readme=$4 source=$5
shift 5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
DESTDIR=$dir "$meson" install -C "$build" --no-rebuild --quiet
pc=$(find "$dir" -name deepprof.pc)
if test -z "$pc"; then
	echo "no deepprof.pc was installed" >&2
	exit 1
fi
PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
PKG_CONFIG_SYSROOT_DIR=$dir
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
pkg-config --exists --print-errors deepprof

# Every function has a page by its name.
pages=$(find "$dir" -type d -name man3)
cat "$(find "$dir" -type d -path '*include/deepprof')"/*.h |
	sed -n 's/^DP_API.*[ *]\(dp_[a-z0-9_]*\)(.*/\1/p' | while read -r name; do
	if ! test -e "$pages/$name.3"; then
		echo "$name() has no manual page" >&2
		exit 1
	fi
done
version=$(pkg-config --modversion deepprof)
libraries=$(dirname "$(dirname "$pc")")

mkdir "$dir/work" "$dir/static"
cp "$source" "$dir/work/program.c"
if test -e "$libraries/libdeepprof.a"; then
	cp "$libraries/libdeepprof.a" "$dir/static/"
else
	# a thin archive: its members are files, named from where it is
	# shellcheck disable=SC2046
	(cd "$(dirname "$core")" && ar rcs "$dir/static/libdeepprof.a" $(ar t "$(basename "$core")"))
fi

# build OPTION: the README's one line with "pkg-config OPTION", its cc the compiler under test
build() {
	line=$(sed -n "s/^    \(cc .*pkg-config $1 .*\)/\1/p" "$readme")
	if test -z "$line" || test "$(printf '%s\n' "$line" | wc -l)" != 1; then
		echo "README.md has not one line: cc … \$(pkg-config $1 …)" >&2
		exit 1
	fi
	rm -f "$dir/work/program"
	(cd "$dir/work" && eval "$line")
}
compiler=$1
shift
flags="$*"
cc() {
	# shellcheck disable=SC2086
	"$compiler" $flags $first "$@"
}

first=
build --cflags
LD_LIBRARY_PATH=$libraries "$dir/work/program" "$version"
first="-L$dir/static"
build --static
# without the shared one
"$dir/work/program" "$version"
