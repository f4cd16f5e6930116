/*
 * The parameters of the detection, one row each: name, value, unit, what it was tuned on, and its
 * purpose, which continues the value and the unit: "0.8 share of a sample that must have …".
 * "families" are the sequences of tests/sim/families.c and "presets" the simulator's programs,
 * both with seeds below 2000; "traces" and "real" are captures of real programs; "tests" single
 * cases of tests/unit; "cost" limits time or memory and hardly affects accuracy.
 * tests/bench/RESULTS.md has the effect of moving each by a fifth, from
 * tests/bench/eval_parameters, and names those that were not measured.
 *
 * Include this with DP_REAL and DP_WHOLE defined. Sizes of arrays are next to their arrays.
 */

/*
 * Votes on where an iteration begins (iterate/votes.c has the reasons): how much more likely an
 * offset is to begin one if the vote gives it its full score.
 */
DP_REAL(weight_whole, 1.5, "log-odds", "families",
	"score: minus 1 for each whole iteration fewer than the best rotation has")
DP_REAL(weight_number, 4.0, "log-odds", "captures",
	"a known number that one start leaves whole, and others miss by one")
DP_REAL(weight_capture_begin, 1.0, "log-odds", "families, presets",
	"captures usually begin at the start of a step")
DP_REAL(weight_capture_end, 1.5, "log-odds", "families, presets",
	"captures usually end at the end of a step")
DP_REAL(weight_span_begin, 4.0, "log-odds", "families",
	"after other work, a loop starts with a whole iteration; the spans that do, plus one, share it")
DP_REAL(weight_span_end, 3.0, "log-odds", "families",
	"the same for the ends of spans")
DP_REAL(weight_fit, 1.0, "log-odds", "families",
	"the score is a log-odds already")
DP_REAL(weight_first_differs, 2.3, "log-odds", "traces",
	"in five traces the first iteration has kernels of its own, in none the last one, unless "
	"the capture cut it off: 10 to 1, and log 10 is 2.3")
DP_REAL(weight_hint, 8.0, "log-odds", "families", "all known boundaries share it")
DP_REAL(weight_first_launch, 3.5, "log-odds", "traces",
	"upper limit of the vote, which is the log-odds that follow from how the host spends its "
	"time")
DP_REAL(weight_launch_gap, 3.0, "log-odds", "presets, traces",
	"the host loads data and logs between two steps")
DP_REAL(weight_upload, 1.5, "log-odds", "presets, traces",
	"a step begins with its input")
DP_REAL(weight_at_gap, 0.5, "log-odds", "traces",
	"half of a log-odds, since an upload and a pause at one offset are not independent")
DP_REAL(weight_optimizer, 2.0, "log-odds", "presets, traces",
	"a step ends with its optimizer")
DP_REAL(weight_kernel_gap, 1.0, "log-odds", "families without launches",
	"if no launches are recorded, pauses of the GPU stand for those of the host, less reliably")

/* Lookups in the trace: a sample only, because one may take a microsecond. */
DP_WHOLE(phase_calls, 300000, "calls", "cost",
	"limit on look-ups for all offsets of a pattern together, 0.3 s at most")
DP_WHOLE(samples_max, 32, "iterations", "cost",
	"sampled iterations: the median of more is no better")
DP_WHOLE(samples_min, 3, "iterations", "families",
	"sampled iterations: the median of fewer depends on one of them")
DP_REAL(recurs_share, 0.8, "share", "presets",
	"of a sample that must have an upload, a wait, an optimizer or a launch for it to be "
	"typical")

/* Ends of spans (iterate/votes.c) and of iterations (iterate/cut.c). */
DP_WHOLE(end_slack, 8, "symbols", "families",
	"by which the end of a span may be wrong, since symbols beyond it may match by chance")
DP_WHOLE(end_part, 4, "1/share", "real",
	 "of a short pattern, by which that end may be wrong: in a pattern of 8 symbols the slack "
	 "would be all of it")
DP_REAL(end_decay, 0.8, "ratio", "families",
	"of the score of an offset to that of its neighbour, within the slack")
DP_WHOLE(inner_period, 1024, "symbols", "cost",
	"longest inner loop that a cut-off iteration is compared with; the cost grows with the "
	"square")

/* Gaps between launches, or kernels (iterate/votes.c, offsets.c, phase.c). */
DP_WHOLE(gap_rank, 10, "rank", "nine real traces",
	"number of offsets with larger launch gaps that a boundary may have: in nine traces it had "
	"fewer")
DP_WHOLE(head_max, 1 << 20, "kernels", "cost",
	"limit on the search for the first kernel with a launch")
DP_WHOLE(step_long, 128, "symbols", "presets",
	"minimum length of a step: the layers of networks are mostly shorter, so a wait in a "
	"longer pattern is that of a step")
DP_REAL(gap_typical, 0.9, "quantile", "presets",
	"of the gaps in an iteration that is typical: nine in ten kernels follow no boundary")
DP_REAL(gap_same, 0.9, "scale", "presets",
	"on a scale from the typical gap (0) to the largest (1): gaps above it count as equally "
	"large, and share the score")
DP_REAL(gap_range, 0.1, "log ratio", "presets",
	"of largest to typical: below it no gap stands out")
DP_REAL(gap_noise_ns, 1000, "ns", "traces",
	"the resolution of timers: smaller differences between gaps are noise")

/* Optimizers, and runs of kernels of one, possibly (iterate/optimizer.c, pattern/levels.c). */
DP_WHOLE(after_optimizer, 16, "symbols", "traces",
	"of bookkeeping (fills, copies of the loss) that may follow an optimizer in its step")
DP_WHOLE(update_period, 3, "kernels", "presets",
	"of an optimizer for one parameter, at most")
DP_WHOLE(rival_period, 16, "kernels", "real",
	"longest iteration of another loop that shows that a run of few kernels is no optimizer; "
	"longer ones cost time")
DP_WHOLE(update_parameters, 16, "parameters", "presets",
	"of a model, at least: an optimizer repeats its kernels that often")
DP_REAL(optimizer_last, 0.5, "score", "traces",
	"more right behind it")
DP_REAL(update_run_last, 1.25, "score", "traces",
	"added for the offset right behind a run of updates, the end of which is exact; a name may "
	"be missing from a list")

/* Cutting an alignment into iterations (iterate/cut.c, insertions.c). */
DP_WHOLE(rest_max, 32, "symbols", "families",
	"behind the last iteration that are its own")
DP_WHOLE(first_renamed, 2, "symbols", "real",
	"at the beginning of a loop that may have other names in its first iteration")
DP_WHOLE(insertion_shift, 64, "symbols", "families",
	"at the beginning of an iteration that may belong to the one before: insertions are moved "
	"over no more")
DP_WHOLE(insertions_max, 8, "runs", "families",
	"of insertions in a row that are tried there")

/* Single boundaries next to edits (iterate/uploads.c). */
DP_WHOLE(boundary_calls, 100000, "calls", "cost",
	"limit on look-ups for the boundaries of one loop, 0.1 s at most")
DP_WHOLE(boundary_near, 8, "symbols", "presets with noise",
	"between a boundary and an edit: those farther away do not concern it")
DP_WHOLE(boundary_reach, 12, "symbols", "presets with noise",
	"by which a boundary may move, not counting insertions")

/* Layers and steps. Tuned on networks of the families, the presets and the real captures. */
DP_WHOLE(layer_least, 8, "kernels", "presets, real",
	"of a layer, at least, and of what lies between two passes through the layers")
DP_WHOLE(group_long, 512, "kernels", "presets, real",
	"of a group of layers, at most, in nearly all networks")
DP_WHOLE(layers_max, 200, "iterations", "presets, real",
	"layers of a network, at most: more repetitions are a loop")
DP_WHOLE(network_deep, 96, "layers", "presets, real",
	"layers of nearly all networks, at most: language models of 70 billion parameters have 80")
DP_REAL(stage_same, 0.25, "share", "real",
	"of the iterations that equal the pattern: with less, and more edits than stage_edits, they "
	"are blocks of a network that differ with its stages")
DP_REAL(stage_edits, 0.04, "share", "real",
	"of symbols that are edits: blocks that differ with a network's stages had 4.8% or more, "
	"true loops up to 2.9%")
DP_WHOLE(layers_apart, 8, "layers", "presets",
	"of other kinds between two runs of layers that still belong to one pass")
DP_WHOLE(breaks_max, 3, "breaks", "presets",
	"between passes: with more of them, the passes are iterations of a loop")
DP_WHOLE(pass_rest, 2, "kernels", "presets",
	"next to layers that match one by chance, at most")
DP_WHOLE(pass_spans, 2, "spans", "families",
	"of one pattern in a pass, at most: layers in more of them are hardly those of one")
DP_WHOLE(capture_sample, 16, "iterations", "cost",
	"in which a captured CUDA graph or an optimizer is looked for")
DP_WHOLE(layer_long, 64, "kernels", "presets, real",
	"of a layer, at most, in nearly all networks")
DP_WHOLE(loop_least, 3, "iterations", "families",
	"of a loop that is found unaided: two parts may be alike by chance")
DP_WHOLE(repeat_least, 2, "iterations", "families",
	"of a loop if something else shows that it repeats: an outer loop, a known number of "
	"iterations, or nothing else in the sequence")
DP_REAL(tandem, 1.9, "iterations", "families",
	"without interruption, at least: two whole ones, less what the ends may lack")

/* Levels (pattern/levels.c): which of a pattern and a loop inside it is the iteration. */
DP_WHOLE(levels_down, 3, "levels", "presets",
	"of loops within each other that are examined: programs have no more that matter")
DP_REAL(level_bits, 0.75, "share", "families",
	"of the bits without a pattern that a description with it may have")
DP_REAL(inside_bits, 0.95, "share", "presets",
	"the same as level_bits for a loop inside a pattern, which is short, so that describing it "
	"costs relatively more")
DP_REAL(inside_long, 0.2, "ratio", "presets",
	"of the main loop's length, at least, for another loop inside a pattern to be one of "
	"iterations, too")
DP_REAL(step_bare, 0.1, "share", "presets, real",
	"of a pattern that is outside the loops inside, or outside the main one, less than which shows "
	"steps that have uploads, or are more than layers can be")
DP_REAL(micro_rest, 0.8, "ratio", "presets",
	"of a micro-batch that a step adds to its micro-batches, at most")
DP_REAL(rest_least, 1.0, "kernels", "presets",
	"outside of the layers of a network, which has more than this")
DP_REAL(rest_share, 0.06, "ratio", "presets",
	"of the inner loop: the two ends of a network have more kernels than this")
DP_REAL(uploads_whole, 0.5, "uploads", "presets",
	"per iteration of the pattern, at least, to be the input of the whole")
DP_REAL(uploads_each, 0.8, "uploads", "presets",
	"per iteration of the inner loop: with more, they are the input of each of these")
DP_REAL(power_off, 0.3, "iterations", "presets",
	"by which a count may differ from a power of two, as micro-batches often are")
DP_REAL(layers_few, 2.5, "iterations", "presets",
	"repeated fewer times than this: a layer contains two or three equal parts, such as "
	"queries and keys")
DP_REAL(alike_edits, 0.1, "share", "families, real",
	"of the symbols of an outer loop, or of two or three iterations, that may be edits: so few "
	"prove nothing if they differ; of a pattern's kernels that finish a step, those that may "
	"be missing")
DP_REAL(outer_spans, 0.2, "1/iteration", "families",
	"spans of an outer loop for each of its iterations, in addition to one")
DP_REAL(adjacent_short, 0.2, "ratio", "families",
	"of the longest loop: a shorter one without inner loops is no iteration of its own, unless "
	"it repeats layers_max times in a row")
DP_WHOLE(alternating_parts, 4, "parts", "real",
	"that alternate in an iteration, at most, such as directions and buffers")
DP_REAL(alternating_same, 0.8, "share", "real",
	"of kernels that such parts have in common, at least")
DP_REAL(alternating_inside, 0.5, "share", "real",
	"of kernels that recur at a shorter distance, at most; if more recur, the remaining "
	"kernels must show the parts")

/* Description length (pattern/pattern.c). */
DP_REAL(edit_bits, 3, "bits", "families",
	"for the kind of an edit, in addition to its position")
DP_REAL(edit_joined_bits, 0.5, "bits", "families",
	"for an edit that continues the previous one")
DP_WHOLE(copy_least, 4, "symbols", "families",
	"of a copy in a pattern's own description: fewer take hardly more bits than its position "
	"and length")
DP_WHOLE(refinements, 3, "rounds", "real",
	"of majority votes: most patterns no longer change after one")
DP_REAL(majority_least, 3, "iterations", "families",
	"from which on majorities decide each symbol of a pattern: of two iterations none is a "
	"majority")

/* Runs that are collapsed (pattern/runs.c). */
DP_WHOLE(run_period, 64, "symbols", "presets",
	"of a unit that is collapsed, at most")
DP_WHOLE(run_times, 3, "times", "presets",
	"in a row, at least, that a unit must occur to be collapsed")

DP_REAL(run_share, 0.01, "share", "tests",
	"of the symbols that collapsing runs with one period must remove: fewer are noise")

/* Classes of names (pattern/classes.c). */
DP_WHOLE(class_rows, 6, "iterations", "families",
	"that must agree on which names replace each other")

/* The tree of loops (loops/tree.c). */
DP_REAL(regular_covered, 0.9, "share", "families",
	"of the sequence that must be covered for a description to be regular, which ends the "
	"search")
DP_REAL(regular_edits, 0.05, "share", "families",
	"of the symbols that may be edits in a regular description")
DP_REAL(regular_spans, 0.2, "1/iteration", "families",
	"spans for each iteration that it may have in addition")
DP_WHOLE(regular_spans_least, 3, "spans", "cost",
	"that a regular description may have, however few its iterations are")
DP_REAL(better, 0.8, "share", "families",
	"of the bits so far that another description may have to replace it")
DP_REAL(better_regular, 1.1, "share", "families",
	"the same if the other description is regular and the one so far is not")
DP_REAL(branch_share, 0.5, "share", "real",
	"of the sequence that loops cover: with less, branching iterations are looked for")
DP_REAL(few_coverage, 0.6, "share", "real",
	"of the sequence that two or three iterations must cover")
DP_REAL(few_most, 3.6, "iterations", "real",
	"that are searched for as few: more are found by the other searches")
DP_WHOLE(few_length, 8, "kernels", "real, families",
	"of an iteration that occurs a few times: fewer are alike by chance; in a part of the "
	"sequence, an optimizer's kernels for each parameter are fewer")

/* What precedes the kernels of one name (loops/traits.c). */
DP_WHOLE(uploads_min, 3, "uploads", "presets",
	"before kernels of one name, at least, to count")
DP_REAL(uploads_share, 0.8, "share", "presets",
	"of the kernels of a name that follow an upload")

/* Patterns to loops (loops/batch.c). */
DP_WHOLE(bare_least, 16, "iterations", "tests",
	"of a loop without inner loops and without what a step does, or with iterations that "
	"differ: with fewer it may be the layers of one marked step, or the blocks of a network")
DP_WHOLE(named_sample, 256, "iterations", "cost",
	"that vote on the exact name of each kernel, show which names replace each other, or whose "
	"pauses are measured")

/* Iterations that branch (loops/branching.c). */
DP_WHOLE(branch_iterations, 20, "iterations", "real",
	"of a branching loop, at least: fewer may be parts of one pass that share kernels")
DP_WHOLE(branch_members, 2, "symbols", "real",
	"that alternate, at least: a single symbol alternates with itself anywhere")
DP_REAL(branch_regular, 0.9, "share", "real",
	"of the distances that must be within a factor of two of the median")
DP_REAL(branch_spanned, 0.8, "share", "real",
	"of the sequence between their first and last occurrence, at least")
DP_REAL(branch_shared, 0.2, "share", "real",
	"of the sequence that these symbols make up, at least")

/* Loops around others (loops/enclosing.c). */
DP_REAL(enclosing_bits, 0.75, "share", "families",
	"of the bits without a pattern that the description may have")

/* Features of confidence (loops/features.c), and loops that wait for more of it (loops/batch.c). */
DP_REAL(listed, 0.5, "probability", "families",
	"of a loop, at least, to list it: it is more likely one than not")
DP_REAL(iterations_log, 6, "log2", "families",
	"of iterations: more than 64 are no likelier to be right")
DP_REAL(margin_max, 1, "log-odds", "families",
	"of votes: what is above is no likelier to be right")
DP_REAL(wait_for, 0.25, "probability", "families",
	"that a loop of a recording that goes on is right, to take it; a higher one misses "
	"programs whose boundaries names alone cannot tell")

/*
 * Annotations against kernels, and streams against each other (analysis_loops.c, analysis_search.c,
 * analysis_streams.c).
 */
DP_REAL(surer, 0.75, "probability", "traces",
	"of a detected loop, at least, to replace a single iteration that annotations mark, or a "
	"loop of other streams inside it")
DP_REAL(alone_least, 0.05, "share", "cost",
	"of a device's kernels, at least, for a stream to be searched alone: at most 20 are")
DP_WHOLE(searches_most, 256, "searches", "cost",
	"of other streams, in all: each clears a table of all names, which a file with thousands "
	"of devices would make cost more than its size")
DP_REAL(main_alike, 0.1, "share", "real",
	"by which times may differ for loops to count as equally long: of these, the one with the "
	"longest period is shown, which evaluations do not have")
DP_REAL(everything, 0.95, "share", "real",
	"of the kernels: an annotation around more of them is around the whole program, and no "
	"iteration")
DP_REAL(marks_seen, 0.75, "share", "real",
	"of the marked iterations of a device with kernels on the main stream: with fewer, all "
	"streams are used")

/* Iterations of another kind (iterate/unlike.c). */
DP_REAL(unlike_lack, 6, "1/share", "presets",
	"of the pattern: an iteration that lacks more is of another kind")
DP_WHOLE(unlike_alike, 2, "iterations", "presets",
	 "of another kind with the same kernels, at least: a single one is damaged")
DP_REAL(unlike_most, 4, "1/share", "presets",
	"of the iterations that may be of another kind")

/* Detected loops next to known iterations (loops/merge_trees.c). */
DP_REAL(merge_most, 0.8, "share", "tests",
	"of a loop's iterations, at least, that lie inside those of another or apart from them for "
	"the loop to do so: a few are cut off or cross a boundary")
DP_REAL(nested_least, 1.5, "iterations", "tests",
	"of a nested loop in each iteration that has any: with fewer it is the enclosing loop itself, "
	"found again")

/* Known numbers of iterations (loops/loops.c, loops/known_count.c). */
DP_REAL(count_near, 0.02, "share", "families",
	"by which a count may differ from the known one")
DP_REAL(count_off, 1.5, "iterations", "families",
	"the same in iterations; the larger of both holds: the capture cuts off one at an end")
DP_WHOLE(count_few, 8, "iterations", "families",
	"of a loop, at least, for count_off to apply")
DP_REAL(count_likely, 0.9, "probability", "presets",
	"of a detected loop with another count, at least, to mention it")
DP_WHOLE(count_begin, 4, "kernels", "presets",
	"that must match to recognize the beginning of an iteration that is cut off")
DP_WHOLE(count_lacks, 3, "1/share", "presets, real",
	"of the pattern that an iteration unlike the others, which is missing, may lack at most")
DP_WHOLE(count_adds, 2, "1/share", "presets, real",
	"that it may have in addition: trials and compilations add more than is left out")

/* Kernels that repeat in a row without showing iterations (analysis_operations.c). */
DP_WHOLE(again_names, 4, "names", "real",
	"of a sequence or an iteration, at most, for which names are counted: programs with more "
	"have patterns")
DP_WHOLE(again_some, 5, "times", "real",
	"in a row, at least, for a kernel to be repeated")
DP_WHOLE(again_rows, 16, "times", "real",
	 "in a row, at least, for rows of one length to be a benchmark's: passes and optimizers run "
	 "a kernel once for each of a few tensors")
DP_WHOLE(again_least, 3, "times", "real",
	"the same if the repetitions make up again_share of the sequence")
DP_REAL(again_share, 0.9, "share", "real",
	"of the kernels that count as nearly all")
DP_WHOLE(again_others, 2, "kernels", "real",
	"of other names before or after the repetitions, at most, or one for each again_some of "
	"these")
DP_WHOLE(again_loops, 32, "loops", "cost",
	"of one kernel each, at most, each of which takes a pass over the sequence")

/* Streams that do one program's work (sequence/streams.c). */
DP_REAL(same_work, 0.5, "share", "real",
	"of the kernel time of each of two streams that is in kernels of both: streams of CUDA "
	"graphs share all, streams of data preparation 36% at most")

/* Annotations that mark the iterations of a loop (sequence/repeated.c), and calls of the host. */
DP_WHOLE(marks_least, 3, "ranges", "traces",
	"of one name, at least, to mark iterations")
DP_WHOLE(marks_tried, 8, "names", "cost",
	"whose kernels are examined, those with the longest ranges first")
DP_WHOLE(marks_apart, 2, "ranges", "traces",
	"by which the number of ranges may differ from that of iterations: the capture cuts off "
	"one at each end")
DP_REAL(marks_apart_share, 0.1, "share", "traces",
	"of the iterations, by which it may differ in addition")
DP_REAL(marks_loop, 0.95, "share", "traces",
	"of the loop's kernels that must be in these ranges")
DP_REAL(marks_inside, 0.8, "share", "traces",
	"of the kernels in these ranges that must be the loop's")
DP_WHOLE(look_back, 512, "calls", "cost",
	"of the host before a kernel's launch that are examined: earlier ones belong to another "
	"iteration")
DP_REAL(marks_rounded_ns, 1000, "ns", "traces",
	"by which adjacent steps may overlap: some traces have whole microseconds")

/* Copies between the host and the device that show iterations (sequence/evidence.c). */
DP_WHOLE(number_bytes, 16, "bytes", "traces",
	"of an upload of a number, at most, such as a scale or a length: these are uploaded "
	"anywhere, and an input is larger; 16 is a complex number in double precision")
DP_WHOLE(counts_bytes, 4096, "bytes", "real",
	"of a download by which the host decides within a step, at most, such as the tokens of "
	"each of 512 experts as 64-bit integers; a result is larger")

/* CUDA graphs that are captured again (sequence/graphs.c). */
DP_REAL(graph_same, 0.03, "share", "real",
	"by which the median durations of a graph that is captured again differ, at most: of 101 "
	"graphs, the two halves of the launches differ by less than that in nine of ten")
DP_WHOLE(graphs_look, 64, "graphs", "cost", "earlier ones that each new one is compared with")

/* The suffix tree of a long sequence is that of its parse (suffix/parse.c, pattern/search.c). */
DP_WHOLE(tree_leaves, 1 << 20, "leaves", "cost",
	"of a tree, which takes 0.2 s and 40 MB to build; longer sequences are parsed into about "
	"as many phrases")
DP_WHOLE(parse_window, 3, "ratio", "cost",
	"length of a window to symbols per leaf: a phrase is half a window long on average, so "
	"that about two thirds of the leaves are used")
DP_WHOLE(parse_thin, 4, "1/window", "families",
	"of a window in which a repeated symbol starts one phrase only")

/* Repeats that may occur once per iteration (pattern/anchors.c). */
DP_WHOLE(counted_repeats, 3, "repeats", "families",
	"of one depth that become candidates because they occur as often as -n requires")
DP_REAL(distance_low, 0.5, "ratio", "families",
	"of a distance between two occurrences to the median distance of the repeat, at least, to "
	"be one iteration")
DP_REAL(distance_high, 1.6, "ratio", "families",
	"the same, at most: two iterations are twice as far apart")
DP_REAL(distance_near, 0.9, "ratio", "families",
	"of a distance to the median, or its inverse, to be like it")
DP_REAL(distance_bin, 1.04, "ratio", "families",
	"of the distances of repeats in one group: a few edits per iteration change a median by less")
DP_WHOLE(print_gaps, 63, "gaps", "cost",
	"between the symbols that two windows are compared by, one of them at each end")
DP_REAL(modal_share, 0.1, "share", "families, presets",
	"of the sampled windows, at least, that are equal and so the candidate; fewer may be equal "
	"by chance where lengths vary, and one of median length is")
DP_REAL(distance_regular, 0.6, "share", "families",
	"of a repeat's score that it loses if no distance is like the median")
DP_REAL(anchor_regular, 0.7, "share", "families",
	"of distances like the median, at least, for a repeat to be regular")
DP_WHOLE(window_long, 1 << 14, "symbols", "cost",
	"of a window: some of many repeats are so far apart at regular distances by chance, so "
	"that longer ones need long_support")
DP_WHOLE(long_support, 50, "1/share", "cost",
	"of the occurrences of all repeats that must be anchors of such windows; trying all of "
	"them takes 13 times as long on noisy sequences")

/* Choosing among candidates (pattern/choose.c). */
DP_WHOLE(judge_quick, 1 << 14, "symbols", "cost",
	"by which candidates are first compared, or more if judge_iterations are longer")
DP_WHOLE(judge_iterations, 6, "iterations", "families",
	"of a candidate that the compared part must hold")
DP_WHOLE(judge_fair, 1 << 16, "symbols", "cost",
	"by which the best candidates are refined and compared again")
DP_WHOLE(finalists, 8, "candidates", "cost",
	"candidates that are refined")
DP_REAL(count_decay, 12, "1/share", "families",
	"exponent by which the bits saved are discounted for each share of the known count that is "
	"missed")
DP_REAL(count_fewer, 0.4, "iterations", "families",
	"fewer than the known count that cost nothing: the capture may cut off one")
DP_REAL(count_more, 2, "iterations", "families",
	"more than the known count that cost nothing: the capture may have a part of one at each "
	"end")

/* Patterns of what others leave (pattern/search.c). */
DP_WHOLE(rest_symbols, 24, "symbols", "families", "in no pattern yet, at least, to search them")
DP_REAL(span_least, 0.8, "share", "families",
	"of an iteration that must be there for it to be one")
DP_REAL(lacking, 0.05, "share", "real",
	"of an iteration: if it lacks more, other kernels may stand in for these, and a marked one "
	"is partial")

/* Alignment (align/align.c, wave.c, diff.c). */
DP_WHOLE(align_look, 2048, "symbols", "families",
	"over which the offsets of a pattern are compared, to choose the one that matches longest")
DP_WHOLE(align_credit, 1 << 20, "steps", "cost",
	"of bridging differences that are free")
DP_WHOLE(align_pays, 8, "steps", "cost",
	"of bridging that each aligned symbol pays for, which keeps the cost linear")
DP_WHOLE(align_compared, 4, "1/step", "families",
	"symbols for the price of one, as several are compared at once: with one, F of the outer "
	"loops of supersteps falls from 1.000 to .998")
DP_WHOLE(seed_postings, 8, "offsets", "cost", "of all patterns that are kept for a seed")
DP_WHOLE(seeds_few, 2, "seeds", "real",
	"in a row that a span of nearly an iteration must have: fewer may match by chance")
DP_WHOLE(seeds_many, 3, "seeds", "tests",
	"that a shorter span must have: these hardly match by chance")
DP_REAL(seeds_most, 0.75, "share", "tests", "of an iteration that is nearly one in this sense")
DP_WHOLE(wave_share, 3, "1/share", "families",
	"of a pattern's symbols that a bridge may edit: with more, it matches any sequence")
DP_WHOLE(wave_least, 2, "edits", "families",
	"that a bridge may have however short the pattern is: a kernel may be replaced by two")
DP_WHOLE(wave_back, 8, "edits", "families",
	"of a bridge backwards, at most, where unrelated symbols may precede")
DP_WHOLE(match_least, 4, "symbols", "families",
	"that must match behind a bridge, or twice a longer pattern: if there are few different "
	"ones, fewer match by chance")
DP_WHOLE(end_matches, 2, "symbols", "tests",
	"for each edit that must match after a bridge if the sequence ends there")
DP_WHOLE(end_symbols, 4, "symbols", "tests", "for each edit that such a bridge must have otherwise")
DP_WHOLE(diff_most, 800, "edits", "cost",
	"between two stretches: with more they are replaced by each other")
DP_WHOLE(diff_least, 16, "edits", "real",
	"that are tried between short stretches, which may differ much")
DP_REAL(diff_edits, 8, "edits", "cost",
	"that are tried in addition for each unit of the square root of the length, which takes 64 "
	"cells for each symbol")

/* Limits on the part of a sequence that is examined. */
DP_WHOLE(units_tried, 8, "units", "cost",
	"that begin with the same symbol, when runs are collapsed")
DP_WHOLE(branch_alphabet, 512, "symbols", "cost",
	"whose order is compared when branching iterations are searched: the cost is the square")
DP_WHOLE(enclosing_most, 1 << 24, "symbols", "cost",
	"of a sequence with runs of iterations collapsed: memory")
DP_WHOLE(upload_sample, 1 << 15, "symbols", "cost",
	"for which it is asked whether they follow an upload")
DP_WHOLE(collapse_most, 1 << 26, "symbols", "cost",
	"of a sequence in which runs are collapsed: memory")

/* The online detector (online/). */
DP_WHOLE(online_gather, 128, "symbols", "families",
	"before the first search, and after a difference")
DP_WHOLE(online_quiet, 96, "symbols", "families",
	"without a difference, after which earlier iterations are final")
DP_WHOLE(online_patience, 1024, "symbols", "families",
	"that fit no loop before the first search for another one; it grows with each search in "
	"vain")
DP_WHOLE(online_eager, 16, "ratio", "cost",
	 "of symbols searched by all searches to symbols received, at most")
DP_WHOLE(online_longer, 4, "1/share", "families",
	"by which one pattern may be longer than another one of the same loop")
DP_WHOLE(online_uncovered, 5, "1/share", "families",
	"of three iterations of it that may be in no span of the other")
DP_WHOLE(online_edited, 6, "1/share", "families", "of these that may be edits")
DP_WHOLE(online_grow, 4, "1/share", "cost",
	"of the symbols not yet reported that are gathered between two alignments")
DP_WHOLE(online_depth, 4, "ratio", "families", "of the symbols searched to those that fit no loop")
DP_WHOLE(online_confirm, 4, "1/share", "families",
	"of online_patience after which a loop found once is searched for again, or its length")
DP_WHOLE(online_often, 64, "1/share", "cost",
	"of all symbols, until the window is full, that a search waits for, at least")
DP_WHOLE(online_seldom, 4, "1/share", "families", "of all symbols, at most")
DP_WHOLE(online_windows, 16, "windows", "cost",
	"between two searches, at most, once the window is full: they then cost little per symbol")
