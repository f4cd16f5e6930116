#!/bin/sh
# alone.sh LANGUAGE STANDARD INCLUDE_DIR COMPILER…: every public header compiles by itself, without
# any macro set, twice in a row, and together with the others in the other order.
set -eu
language=$1 standard=$2 include=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0 count=0 reverse=

compile()
{
	"$@" -x "$language" "-std=$standard" -Wall -Wextra -Werror -pedantic -fsyntax-only \
		"-I$include" "$dir/source" || status=1
}

for header in "$include"/deepprof/*.h; do
	name=$(basename "$header")
	printf '#include <deepprof/%s>\n#include <deepprof/%s>\n' "$name" "$name" >"$dir/source"
	compile "$@"
	reverse="#include <deepprof/$name>
$reverse"
	count=$((count + 1))
done
printf '%s' "$reverse" >"$dir/source"
compile "$@"
# A test that can't fail is none: this one has to.
echo '#include <deepprof/no_such_header.h>' >"$dir/source"
if (compile "$@" && test "$status" = 0) 2>/dev/null; then
	echo "a header that does not exist compiles" >&2
	exit 1
fi
echo "$count headers as $standard"
exit "$status"
