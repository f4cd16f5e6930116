# fish completion for deepprof.
# The program itself lists its formats and metrics.

function __deepprof_table
    deepprof info --build 2>/dev/null | awk -v table=$argv[1] '
        /^[a-z_]+$/ { inside = $0 == table; next }
        inside && /^  [^ ]/ { print $1 }'
end

# The metrics of compare --fail-on.
function __deepprof_limits
    echo iteration_time=
    __deepprof_table metrics | string replace -r '$' =
end

# Rules with a threshold.
function __deepprof_thresholds
    deepprof info --build 2>/dev/null | awk '
        /^[a-z_]+$/ { inside = $0 == "rules"; next }
        inside && /^  [^ ]/ && $2 ~ /^[0-9.]+%$/ { print $1 "=" }'
end

set -l verbs record analyze compare ranks reduce export info help
set -l none "not __fish_seen_subcommand_from $verbs"
set -l record "__fish_seen_subcommand_from record"
set -l analyze "__fish_seen_subcommand_from analyze"
set -l compare "__fish_seen_subcommand_from compare"
set -l ranks "__fish_seen_subcommand_from ranks"
set -l reduce "__fish_seen_subcommand_from reduce"
set -l info "__fish_seen_subcommand_from info"
set -l export "__fish_seen_subcommand_from export"
set -l report "__fish_seen_subcommand_from analyze compare ranks"
set -l both "__fish_seen_subcommand_from analyze compare ranks info"
set -l shared "__fish_seen_subcommand_from analyze compare export"
set -l all "__fish_seen_subcommand_from analyze compare ranks reduce export info"

complete -c deepprof -n $none -f -a record -d "run a program and record its GPU work"
complete -c deepprof -n $none -f -a analyze -d "report a trace's iterations and what the GPU waited for"
complete -c deepprof -n $none -f -a compare -d "show what got slower or faster between two runs"
complete -c deepprof -n $none -f -a ranks -d "compare the ranks of a distributed job"
complete -c deepprof -n $none -f -a reduce -d "reduce traces of ranks to small summaries"
complete -c deepprof -n $none -f -a export -d "write iterations and trace for other programs"
complete -c deepprof -n $none -f -a info -d "show what a trace holds without analyzing it"
complete -c deepprof -n $none -f -a help -d "show what a command does and its options"
complete -c deepprof -n $none -l version -d "print the version"
complete -c deepprof -s h -l help -d "show help"
complete -c deepprof -n "__fish_seen_subcommand_from help" -f -a "$verbs"

complete -c deepprof -n $record -s o -l output -r -d "write to this file"
complete -c deepprof -n $record -s f -l force -d "overwrite the file that -o names"
complete -c deepprof -n $record -l mode -x -a "600 640 644" -d "permissions of the trace file"
complete -c deepprof -n $record -l no-cmdline -d "store no command lines"
complete -c deepprof -n $record -l delay -x -d "start this long after the first kernel launch"
complete -c deepprof -n $record -l duration -x -d "record for this long"
complete -c deepprof -n $record -s n -l iterations -x -d "record this many iterations"
complete -c deepprof -n $record -l capture -x -a "all profiler" -d "record all or the profiler range"
complete -c deepprof -n $record -l pause-signal -x -a "USR1 USR2 HUP ALRM" -d "signal to pause and resume"
complete -c deepprof -n $record -l api -x -a "on off all" -d "CUDA calls to record"
complete -c deepprof -n $record -l nvtx -x -a "on off" -d "NVTX ranges and marks"
complete -c deepprof -n $record -l memory -x -a "on off" -d "allocations and frees"
complete -c deepprof -n $record -l cuda-graph -x -a "graph node" -d "CUDA graphs as a whole or each node"
complete -c deepprof -n $record -l sample-gpu -x -a "off" -d "sampling interval of the GPUs"
complete -c deepprof -n $record -l gpu-metrics -x -a "off 1ms" -d "activity of SMs, tensor cores and memory"
complete -c deepprof -n $record -l sample-host -x -a "off" -d "run and wait times of threads"
complete -c deepprof -n $record -l context-switches -x -a "on off" -d "when threads were off a processor"
complete -c deepprof -n $record -l max-memory -x -d "limit of the buffers of each process"
complete -c deepprof -n $record -l max-spool -x -d "limit of the temporary file of each process"
complete -c deepprof -n $record -l cupti -r -d "libcupti.so to use"
complete -c deepprof -n $record -l chain -d "also load the library of CUDA_INJECTION64_PATH"
complete -c deepprof -n $record -l exit-guard -x -a "on off" -d "preload a library that detects _exit"
complete -c deepprof -n $record -l wait -d "also wait for processes left behind"
complete -c deepprof -n $record -l recover -r -d "finish the recording that left this folder"
complete -c deepprof -n $record -s v -l verbose -d "show more"
complete -c deepprof -n $record -s q -l quiet -d "print only errors"

complete -c deepprof -n $all -l input-format -x -a "(__deepprof_table importers)" -d "format of the trace"
complete -c deepprof -n $all -s o -l output -r -d "write to this file"
complete -c deepprof -n $all -s f -l force -d "overwrite the file that -o names"
complete -c deepprof -n $all -l mode -x -a "600 640 644" -d "permissions of that file"
complete -c deepprof -n $both -l no-pager -d "do not use a pager"
complete -c deepprof -n $all -s v -l verbose -d "show more"
complete -c deepprof -n $all -s q -l quiet -d "print no warnings and no progress"

complete -c deepprof -n $shared -s n -l iterations -x -d "number of iterations per loop"
complete -c deepprof -n $shared -l paper -d "use the published algorithm unchanged"
complete -c deepprof -n $shared -l epsilon -x -d "initial tolerance of -n"
complete -c deepprof -n $shared -l max-unmatched -x -d "skip at most K operations in an iteration"
complete -c deepprof -n $shared -l marks -x -d "use matching annotations as iterations"
complete -c deepprof -n $shared -l ignore-marks -d "detect iterations from kernel order"
complete -c deepprof -n $shared -l level -x -a "default outermost innermost" -d "level of nested loops to report"
complete -c deepprof -n $shared -l device -x -d "analyze only this device"
complete -c deepprof -n $shared -l stream -x -d "analyze only this stream"
complete -c deepprof -n $shared -l range -x -d "analyze only kernels in this interval"
complete -c deepprof -n $shared -l batch-size -x -d "samples per iteration"
complete -c deepprof -n $shared -l flops -x -d "floating-point operations of an iteration on one GPU"
complete -c deepprof -n $shared -l threshold -x -a "(__deepprof_thresholds)" -d "minimum share at which a rule reports"
complete -c deepprof -n $shared -l metric -x -a "(__deepprof_table metrics; __deepprof_table summary_metrics)" -d "show only these metrics"
complete -c deepprof -n $analyze -l format -x -a "(__deepprof_table renderers)" -d "report format"
complete -c deepprof -n $analyze -l explain -d "show how the iterations were found"
complete -c deepprof -n $analyze -l brief -d "at most 20 KB of JSON"
complete -c deepprof -n $report -l color -x -a "auto always never" -d "when to use colors"

complete -c deepprof -n $compare -l fail-on -x -a "(__deepprof_limits)" -d "exit with 3 if a limit is exceeded"
complete -c deepprof -n $compare -l confidence -x -d "confidence of intervals"
complete -c deepprof -n $compare -l loops -x -d "the loop of each run, BEFORE:AFTER"
complete -c deepprof -n $compare -l format -x -a "text json csv markdown html" -d "report format"

complete -c deepprof -n $ranks -s j -l jobs -x -d "files to analyze at a time"
complete -c deepprof -n $ranks -s n -l iterations -x -d "number of iterations per loop"
complete -c deepprof -n $ranks -l marks -x -d "use matching annotations as iterations"
complete -c deepprof -n $ranks -l ignore-marks -d "detect iterations from kernel order"
complete -c deepprof -n $ranks -l level -x -a "default outermost innermost" -d "level of nested loops to report"
complete -c deepprof -n $ranks -l format -x -a "text json csv html markdown perfetto" -d "report format"

complete -c deepprof -n $reduce -l shard -x -a "auto" -d "a part of the files, K/N"
complete -c deepprof -n $reduce -s j -l jobs -x -d "files to analyze at a time"
complete -c deepprof -n $reduce -s n -l iterations -x -d "number of iterations per loop"
complete -c deepprof -n $reduce -l marks -x -d "use matching annotations as iterations"
complete -c deepprof -n $reduce -l ignore-marks -d "detect iterations from kernel order"
complete -c deepprof -n $reduce -l level -x -a "default outermost innermost" -d "level of nested loops to report"

complete -c deepprof -n $info -l build -d "show the version and features of this program"
complete -c deepprof -n $info -l top -x -d "list the N kernels with the most time"
complete -c deepprof -n $info -l format -x -a "text json" -d "output format"

complete -c deepprof -n $export -l format -x -a "chrome perfetto sqlite" -d "format to write"
complete -c deepprof -n $export -l compat -x -a kineto -d "write a timeline as that tool does"
