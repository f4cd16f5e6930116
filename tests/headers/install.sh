#!/bin/sh
# install.sh MESON BUILD_DIR SOURCE COMPILER…: installs into an empty folder and builds SOURCE against it with
# nothing but pkg-config's answer, then runs it.
set -eu
meson=$1 build=$2 source=$3
shift 3
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
version=$(pkg-config --modversion deepprof)
# shellcheck disable=SC2046 # flags are words
"$@" "$source" $(pkg-config --cflags --libs deepprof) -o "$dir/program"
library=$(find "$dir" -name 'libdeepprof.so.0')
LD_LIBRARY_PATH=$(dirname "$library") "$dir/program" "$version"
