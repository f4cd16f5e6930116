#!/bin/sh
# Lists the libcupti files of this machine, and those of DEEPPROF_TEST_CUPTI.
for path in /usr/local/cuda/lib/libcupti.so /usr/local/cuda/lib64/libcupti.so \
	/usr/local/cuda/extras/CUPTI/lib64/libcupti.so /usr/lib/x86_64-linux-gnu/libcupti.so; do
	if [ -e "$path" ]; then
		echo "$path"
	fi
done
IFS=:
for path in ${DEEPPROF_TEST_CUPTI-}; do
	echo "$path"
done
