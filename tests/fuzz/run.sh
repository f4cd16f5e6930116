#!/bin/sh
# run.sh TARGET BUILDDIR CORPUS [OPTION…]: runs a fuzz target of either kind. What libFuzzer finds
# goes to BUILDDIR/found-<target>, never into the corpus of the source; inputs that crash it to BUILDDIR.
set -eu
target=$1 build=$2 corpus=$3
shift 3
name=$(basename "$target")
for option; do
	case $option in
	-*=*) ;;
	*)
		echo "run.sh: not an option: $option" >&2
		exit 2
		;;
	esac
done
case "${1-}" in
--*)
	exec "$target" "--artifacts=$build" "$@" "$corpus"
	;;
*)
	mkdir -p "$build/found-$name"
	exec "$target" "-artifact_prefix=$build/crash-$name-" "$@" "$build/found-$name" "$corpus"
	;;
esac
