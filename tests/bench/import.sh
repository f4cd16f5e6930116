#!/bin/sh
# import.sh BUILDDIR [ITERATIONS [PRESET]]: simulated traces in every format, read by bench_import.
# The folder of the traces, TRACES (a temporary one by default), stays if it was given.
set -eu
build=$1 iterations=${2-1000} preset=${3-clean}
folder=${TRACES-}
if [ -z "$folder" ]; then
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
fi
sim=$build/tests/sim/deepprof-sim
set --
for format in $("$sim" --list-formats | awk '{ print $1 }'); do
	file=$folder/$format.trace
	[ -e "$file" ] ||
		"$sim" -p "$preset" -n "$iterations" -F "$format" --no-truth -o "$file" >/dev/null
	set -- "$@" "$file"
done
"$build/tests/bench/bench_import" "$@"
