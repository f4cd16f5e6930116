#!/bin/sh
# debian.sh FOLDER: the release tarball of HEAD and Debian's source and binary packages of it, made
# in FOLDER, and what lintian says of them. Run by hand; needs dpkg-dev, debhelper and lintian, and
# the build's own packages. DEB_BUILD_OPTIONS=nocheck leaves the tests out.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$source/meson.build" | head -n 1)

rm -rf build "deepprof-$version"
meson setup build "$source" -Dtests=false -Dbench=false >/dev/null
meson dist -C build --no-tests --formats xztar
mv "build/meson-dist/deepprof-$version.tar.xz" "deepprof_$version.orig.tar.xz"
tar -xf "deepprof_$version.orig.tar.xz"
cp -R "$source/packaging/debian" "deepprof-$version/"
cd "deepprof-$version"
dpkg-buildpackage -us -uc
# There is no request for a package that its first upload would close.
lintian --suppress-tags initial-upload-closes-no-bugs --info --fail-on error,warning ../deepprof_*.changes
