#!/bin/sh
# peers.sh FILE…: what others need to read the same traces: for a database, sqlite3 for one sum over
# the kernels; for JSON, Python's json; for CSV, Python's csv. Seconds and peak memory of each.
set -eu
for file; do
	case $(head -c 15 "$file" | tr -d '\000') in
	"SQLite format 3")
		what="sqlite3: one sum over the kernels"
		table=$(sqlite3 "file:$file?immutable=1" "SELECT name FROM sqlite_master WHERE
			type = 'table' AND name IN ('CUPTI_ACTIVITY_KIND_KERNEL',
			'CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL', 'kernel')
			ORDER BY length(name) DESC LIMIT 1")
		length='"end" - start'
		[ "$table" != kernel ] || length=dur_ns
		set -- sqlite3 "file:$file?immutable=1" "SELECT count(*), sum($length) FROM $table"
		;;
	*)
		case $(zcat -f "$file" | head -c 1) in
		"{" | "[")
			what="Python's json"
			set -- python3 -c 'import gzip, json, sys
f = sys.argv[1]
o = gzip.open if open(f, "rb").read(2) == b"\037\213" else open
d = json.load(o(f, "rt"))
print(len(d["traceEvents"] if isinstance(d, dict) else d))' "$file"
			;;
		*)
			what="Python's csv"
			set -- python3 -c 'import csv, sys
print(sum(1 for row in csv.reader(open(sys.argv[1]))))' "$file"
			;;
		esac
		;;
	esac
	python3 -c 'import resource, subprocess, sys, time
t = time.monotonic()
n = subprocess.run(sys.argv[3:], check=True, capture_output=True, text=True).stdout.strip()
t = time.monotonic() - t
kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("%-32s %-34s %8.3f s %8.1f MiB  %s" % (sys.argv[1][-32:], sys.argv[2], t, kb / 1024, n))
' "$(basename "$file")" "$what" "$@"
done
