#!/bin/sh
# Fills in a man page: fill.sh DEEPPROF VERSION PAGE.in >PAGE
# @VERSION@ is the version; a line "@TABLE@" becomes one paragraph for each row of that table of
# "deepprof info --build".
set -eu

tables=$("$1" info --build)
version=$2

# Reads the tables, writes one of them.
fill_table() {
	printf '%s\n' "$tables" | awk -v table="$1" '
		/^[a-z_]+$/ { inside = $0 == table; next }
		!inside || !/^  [^ ]/ { next }
		{
			name = $1
			sub(/^ +[^ ]+ +/, "")
			unit = ""
			if (table ~ /metrics$/) {
				unit = " \\fR(" $1 ")"
				sub(/^[^ ]+ +/, "")
			}
			gsub(/\\/, "\\e")
			gsub(/-/, "\\-")
			gsub(/-/, "\\-", name)
			printf ".TP\n\\fB%s%s\n\\&%s\n", name, unit, $0
		}'
}

while IFS= read -r line || [ -n "$line" ]; do
	case $line in
	@*@)
		line=${line#@}
		fill_table "${line%@}"
		;;
	*@VERSION@*)
		printf '%s%s%s\n' "${line%%@VERSION@*}" "$version" "${line#*@VERSION@}"
		;;
	*)
		printf '%s\n' "$line"
		;;
	esac
done <"$3"
