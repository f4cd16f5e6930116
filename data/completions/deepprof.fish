# fish completion for deepprof.
# What the tables of this deepprof hold (formats, metrics) is asked of the program itself.

function __deepprof_table
    deepprof info --build 2>/dev/null | awk -v table=$argv[1] '
        /^[a-z_]+$/ { inside = $0 == table; next }
        inside && /^  [^ ]/ { print $1 }'
end

# What a limit of compare is of.
function __deepprof_limits
    echo iteration_time=
    __deepprof_table metrics | string replace -r '$' =
end

# The rules that have a threshold.
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
complete -c deepprof -n $none -f -a help -d "show what a command does and takes"
complete -c deepprof -n $none -l version -d "print the version"
complete -c deepprof -s h -l help -d "show a short help"
complete -c deepprof -n "__fish_seen_subcommand_from help" -f -a "$verbs"

complete -c deepprof -n $record -s o -l output -r -d "write to a new file"
complete -c deepprof -n $record -s f -l force -d "overwrite what -o names"
complete -c deepprof -n $record -l mode -x -a "600 640 644" -d "permissions of the trace file"
complete -c deepprof -n $record -l no-cmdline -d "store no command lines"
complete -c deepprof -n $record -l delay -x -d "start this long after the first kernel launch"
complete -c deepprof -n $record -l duration -x -d "record for this long"
complete -c deepprof -n $record -s n -l iterations -x -d "stop after this many iterations of the loop"
complete -c deepprof -n $record -l capture -x -a "all profiler" -d "what is recorded"
complete -c deepprof -n $record -l pause-signal -x -a "USR1 USR2 HUP ALRM" -d "pauses and resumes"
complete -c deepprof -n $record -l api -x -a "on off all" -d "CUDA calls"
complete -c deepprof -n $record -l nvtx -x -a "on off" -d "NVTX ranges and marks"
complete -c deepprof -n $record -l memory -x -a "on off" -d "memory that is allocated and freed"
complete -c deepprof -n $record -l cuda-graph -x -a "graph node" -d "whole, or node by node"
complete -c deepprof -n $record -l sample-gpu -x -a "off" -d "how often the GPUs are read"
complete -c deepprof -n $record -l sample-host -x -a "off" -d "run and wait times of threads"
complete -c deepprof -n $record -l context-switches -x -a "on off" -d "when threads were off a processor"
complete -c deepprof -n $record -l max-memory -x -d "of the buffers of each process"
complete -c deepprof -n $record -l max-spool -x -d "of the temporary file of each process"
complete -c deepprof -n $record -l cupti -r -d "a libcupti.so to use"
complete -c deepprof -n $record -l chain -d "keep the library that CUDA is to load, too"
complete -c deepprof -n $record -l exit-guard -x -a "on off" -d "preload a library that notices _exit"
complete -c deepprof -n $record -l wait -d "wait for processes that are left behind, too"
complete -c deepprof -n $record -l recover -r -d "finish what was left in a folder"
complete -c deepprof -n $record -s v -l verbose -d "show more"
complete -c deepprof -n $record -s q -l quiet -d "say nothing but errors"

complete -c deepprof -n $all -l input-format -x -a "(__deepprof_table importers)" -d "format of the trace"
complete -c deepprof -n $all -s o -l output -r -d "write to a new file"
complete -c deepprof -n $all -s f -l force -d "overwrite what -o names"
complete -c deepprof -n $all -l mode -x -a "600 640 644" -d "permissions of that file"
complete -c deepprof -n $both -l no-pager -d "don't page what is shown on a terminal"
complete -c deepprof -n $all -s v -l verbose -d "show more"
complete -c deepprof -n $all -s q -l quiet -d "no warnings, no progress"

complete -c deepprof -n $shared -s n -l iterations -x -d "how many iterations there are"
complete -c deepprof -n $shared -l paper -d "the published algorithm to the letter"
complete -c deepprof -n $shared -l epsilon -x -d "where the tolerance of -n begins"
complete -c deepprof -n $shared -l max-unmatched -x -d "operations skipped at most"
complete -c deepprof -n $shared -l marks -x -d "iterations are annotations that match"
complete -c deepprof -n $shared -l ignore-marks -d "find iterations from kernels"
complete -c deepprof -n $shared -l level -x -a "default outermost innermost" -d "which of nested loops to report on"
complete -c deepprof -n $shared -l device -x -d "this device only"
complete -c deepprof -n $shared -l stream -x -d "this stream only"
complete -c deepprof -n $shared -l range -x -d "kernels that start in this time only"
complete -c deepprof -n $shared -l batch-size -x -d "samples in an iteration"
complete -c deepprof -n $shared -l flops -x -d "floating-point operations of an iteration on one GPU"
complete -c deepprof -n $shared -l threshold -x -a "(__deepprof_thresholds)" -d "minimum share at which a rule reports"
complete -c deepprof -n $shared -l metric -x -a "(__deepprof_table metrics; __deepprof_table summary_metrics)" -d "these metrics only"
complete -c deepprof -n $analyze -l format -x -a "(__deepprof_table renderers)" -d "of the report"
complete -c deepprof -n $analyze -l explain -d "show how the iterations were found"
complete -c deepprof -n $analyze -l brief -d "at most 20 KB of JSON"
complete -c deepprof -n $report -l color -x -a "auto always never" -d "when to use colours"

complete -c deepprof -n $compare -l fail-on -x -a "(__deepprof_limits)" -d "end with 3 where a limit is crossed"
complete -c deepprof -n $compare -l confidence -x -d "of the intervals"
complete -c deepprof -n $compare -l loops -x -d "the loop of each run, BEFORE:AFTER"
complete -c deepprof -n $compare -l format -x -a "text json csv" -d "of the report"

complete -c deepprof -n $ranks -s j -l jobs -x -d "files that are analyzed at a time"
complete -c deepprof -n $ranks -s n -l iterations -x -d "how many iterations each rank has"
complete -c deepprof -n $ranks -l marks -x -d "iterations are annotations that match"
complete -c deepprof -n $ranks -l ignore-marks -d "find iterations from kernels"
complete -c deepprof -n $ranks -l level -x -a "default outermost innermost" -d "which of nested loops to report on"
complete -c deepprof -n $ranks -l format -x -a "text json csv html perfetto" -d "of the report"

complete -c deepprof -n $reduce -l shard -x -a "auto" -d "a part of the files, K/N"
complete -c deepprof -n $reduce -s j -l jobs -x -d "files that are analyzed at a time"
complete -c deepprof -n $reduce -s n -l iterations -x -d "how many iterations each rank has"
complete -c deepprof -n $reduce -l marks -x -d "iterations are annotations that match"
complete -c deepprof -n $reduce -l ignore-marks -d "find iterations from kernels"
complete -c deepprof -n $reduce -l level -x -a "default outermost innermost" -d "which of nested loops to report on"

complete -c deepprof -n $info -l build -d "tell about this program"
complete -c deepprof -n $info -l top -x -d "kernels listed"
complete -c deepprof -n $info -l format -x -a "text json" -d "of what is written"

complete -c deepprof -n $export -l format -x -a "chrome perfetto sqlite" -d "what to write"
complete -c deepprof -n $export -l compat -x -a kineto -d "as that tool writes it"
