/*
 * The parameters of the detection, one row each: name, value, unit, what it was tuned on, and why
 * it has this value. "families" are the sequences of tests/sim/families.c and "presets" the
 * simulator's programs, both with seeds below 2000; "traces" and "real" are captures of real
 * programs; "tests" single cases of tests/unit; "cost" affects no accuracy, but time or memory.
 * tests/bench/RESULTS.md has the effect of moving each by a fifth, from
 * tests/bench/eval_parameters.
 *
 * Include this with DP_REAL and DP_WHOLE defined. Sizes of arrays are next to their arrays.
 */

/*
 * Votes on where an iteration begins (iterate/votes.c has the reasons): how much more likely an
 * offset is to begin one if the vote gives it its full score.
 */
DP_REAL(weight_whole, 1.5, "log-odds", "families",
	"for each whole iteration fewer than the best")
DP_REAL(weight_capture_begin, 1.0, "log-odds", "families, presets",
	"profilers mostly start at a step")
DP_REAL(weight_capture_end, 1.5, "log-odds", "families, presets",
	"profilers mostly wait for the end of a step")
DP_REAL(weight_span_begin, 4.0, "log-odds", "families",
	"shared by the spans of the loop, and one")
DP_REAL(weight_span_end, 3.0, "log-odds", "families",
	"the same")
DP_REAL(weight_fit, 1.0, "log-odds", "families",
	"the score is a log-odds itself")
DP_REAL(weight_first_differs, 2.3, "log-odds", "traces",
	"in five traces the first iteration has other kernels than all that follow, in none "
	"the last one, unless the capture cut it off: ten to one")
DP_REAL(weight_known, 8.0, "log-odds", "families",
	"shared by all known boundaries")
DP_REAL(weight_first_launch, 3.5, "log-odds", "traces",
	"at most: the score follows from the host's time")
DP_REAL(weight_launch_gap, 3.0, "log-odds", "presets, traces",
	"the host loads data and logs between two steps")
DP_REAL(weight_upload, 1.5, "log-odds", "presets, traces",
	"a step begins with its input")
DP_REAL(weight_at_gap, 0.5, "log-odds", "traces",
	"times how seldom it is by chance, as a logarithm")
DP_REAL(weight_sync, 0.7, "log-odds", "presets",
	"the host reads a loss back between two steps")
DP_REAL(weight_optimizer, 2.0, "log-odds", "presets, traces",
	"a step ends with its optimizer")
DP_REAL(weight_kernel_gap, 1.0, "log-odds", "families without launches",
	"the GPU's pauses stand for the host's")

/* Lookups in the trace: a sample only, because one may take a microsecond. */
DP_WHOLE(phase_calls, 300000, "calls", "cost",
	"for all offsets together")
DP_WHOLE(samples_max, 32, "iterations", "families",
	"a median of more is no better")
DP_WHOLE(samples_min, 3, "iterations", "families",
	"a median of fewer is none")
DP_REAL(recurs_share, 0.8, "share", "presets",
	"of sampled iterations that have an upload, a wait or an optimizer")

/* Ends of spans (iterate/votes.c) and of iterations (iterate/inner.c). */
DP_WHOLE(end_slack, 8, "symbols", "families",
	"by which an end may be off: what lies beyond may happen to match")
DP_REAL(end_decay, 0.8, "ratio", "families",
	"score of an offset to that of the one next to it, within the slack")
DP_WHOLE(inner_period, 1024, "symbols", "cost",
	"of an inner loop that a cut-off iteration may end in: cost grows with the square")

/* Gaps between launches, or kernels (iterate/votes.c, offsets.c, phase.c). */
DP_WHOLE(gap_rank, 10, "rank", "nine real traces",
	"of a boundary's launch gap among all offsets")
DP_WHOLE(head_max, 1 << 20, "kernels", "cost",
	"without a launch that are looked through for the first with one")
DP_WHOLE(launches_look, 64, "kernels", "traces",
	"behind the first with a launch, nine in ten of which must have one")
DP_WHOLE(step_long, 128, "symbols", "presets",
	"of a pattern that hardly a layer has: a wait there is the step's")
DP_REAL(gap_typical, 0.9, "quantile", "presets",
	"of the gaps inside an iteration: boundaries are few")
DP_REAL(gap_same, 0.9, "scale", "presets",
	"from typical (0) to largest (1): one like the largest")
DP_REAL(gap_range, 0.1, "log ratio", "presets",
	"of largest to typical: below it no gap stands out")
DP_REAL(gap_noise_ns, 1000, "ns", "traces",
	"gaps that differ by this are the same: a timer's resolution")
DP_REAL(gap_like, 0.33, "ratio", "presets",
	"of the typical launch gap: one as long is a boundary's")

/* Optimizers, and runs of kernels of one, possibly (iterate/optimizer.c, pattern/levels.c). */
DP_WHOLE(after_optimizer, 16, "symbols", "traces",
	"of bookkeeping that may follow one in a step")
DP_WHOLE(update_period, 3, "kernels", "presets",
	"for a parameter, at most")
DP_WHOLE(rival_period, 16, "kernels", "real",
	"that another loop in an iteration may have, which makes a run none of updates: cost")
DP_WHOLE(update_parameters, 16, "parameters", "presets",
	"of a model, at least")
DP_WHOLE(update_share, 10, "1/share", "presets",
	"of an iteration that its updates are, at least")
DP_REAL(optimizer_fade, 0.7, "score", "presets",
	"less over the bookkeeping than right behind it")
DP_REAL(optimizer_last, 0.5, "score", "traces",
	"more right behind it")
DP_REAL(update_run_last, 1.25, "score", "traces",
	"the same of a run: its end is sharper than that of names")

/* Cutting an alignment into iterations (iterate/cut.c, insertions.c). */
DP_WHOLE(rest_max, 32, "symbols", "families",
	"behind the last iteration that are its own")
DP_WHOLE(first_renamed, 2, "symbols", "real",
	"that a loop begins with under other names, at most")
DP_WHOLE(shift_max, 64, "symbols", "families",
	"of an iteration's beginning that may turn out to be the end of the one before: that "
	"insertions are moved over, or that repeats in both")
DP_WHOLE(insertions_max, 8, "runs", "families",
	"of insertions there that are looked through")

/* Single boundaries next to edits (iterate/boundary.c). */
DP_WHOLE(boundary_calls, 100000, "calls", "cost",
	"for one loop")
DP_WHOLE(boundary_around, 4, "symbols", "presets with noise",
	"around a boundary that it has to stand out from, …")
DP_REAL(boundary_times, 4, "ratio", "presets with noise",
	"… by a launch gap this many times theirs")
DP_WHOLE(boundary_near, 8, "symbols", "presets with noise",
	"from a boundary to an edit that may concern it")
DP_WHOLE(boundary_reach, 12, "symbols", "presets with noise",
	"that a boundary is moved over, besides insertions")
DP_WHOLE(boundary_wide, 512, "symbols", "presets with noise",
	"of insertions that it is moved over")

/* Layers and steps. Tuned on networks of the families, the presets and the real captures. */
DP_WHOLE(layer_least, 8, "kernels", "presets, real",
	"that a layer has at least")
DP_WHOLE(group_long, 512, "kernels", "presets, real",
	"that a group of layers hardly has more of")
DP_WHOLE(layers_max, 200, "iterations", "presets, real",
	"more repetitions are no layers: hardly a network has as many")
DP_WHOLE(network_deep, 48, "layers", "presets, real",
	"that most networks have at most")
DP_WHOLE(layers_apart, 8, "layers", "presets",
	"between two runs of others, which are one pass still")
DP_WHOLE(break_min, 4, "kernels", "presets",
	"between two passes through the layers, at least")
DP_WHOLE(breaks_max, 3, "breaks", "presets",
	"of passes: with more it is a loop")
DP_WHOLE(pass_rest, 2, "kernels", "presets",
	"next to layers that look like one's by chance")
DP_WHOLE(capture_sample, 16, "iterations", "cost",
	"that a captured graph, or an optimizer, is looked for in")
DP_WHOLE(layer_long, 64, "kernels", "presets, real",
	"that a layer hardly has more of")
DP_WHOLE(loop_least, 3, "iterations", "families",
	"that a loop is sought with: two stretches may be alike by chance")
DP_WHOLE(repeat_least, 2, "iterations", "families",
	"the same where more tells that it repeats: the repetitions of the pattern that a loop is "
	"inside of, a number that is known, or that there is nothing else")
DP_REAL(tandem, 1.9, "iterations", "families",
	"on end that make a loop: nearly two whole ones")

/* Levels (pattern/levels.c): which of a pattern and a loop inside it is the iteration. */
DP_WHOLE(levels_down, 3, "levels", "presets",
	"that are gone down: networks have no more")
DP_REAL(level_bits, 0.75, "share", "families",
	"of the bits without a pattern that the description may have")
DP_REAL(level_coverage, 0.1, "share", "families",
	"of the symbols that a pattern must describe, unless it is rare")
DP_REAL(inside_bits, 0.95, "share", "presets",
	"the same of a loop inside a pattern, which is short")
DP_REAL(inside_coverage, 0.04, "share", "presets",
	"the same")
DP_REAL(finish_covered, 0.3, "share", "real",
	"of a pattern that a loop with its optimizer covers, at least")
DP_REAL(down_covered, 0.3, "share", "presets",
	"of a pattern that a loop inside covers to be the iteration, …")
DP_REAL(down_sure, 0.6, "share", "presets",
	"… or so much where loops cover less than this together:")
DP_REAL(down_together, 0.9, "share", "presets",
	"that loops about as long cover")
DP_REAL(inside_long, 0.2, "ratio", "presets",
	"of lengths of loops that count together")
DP_REAL(upload_bare, 0.5, "ratio", "presets",
	"of the loop inside that what is in no loop may be long, where each is uploaded "
	"something for")
DP_REAL(micro_rest, 0.8, "ratio", "presets",
	"of the loop inside that a step of micro-batches adds, at most")
DP_REAL(rest_least, 1.0, "kernels", "presets",
	"about layers: networks have more")
DP_REAL(rest_share, 0.06, "ratio", "presets",
	"of a long loop inside that a network's ends have more than")
DP_REAL(step_rest, 0.25, "ratio", "presets", "of a step with loops inside that lies next to it")
DP_REAL(uploads_whole, 0.5, "uploads", "presets",
	"per pattern: something is uploaded for the whole, …")
DP_REAL(uploads_each, 0.8, "uploads", "presets",
	"… unless for each iteration of the loop inside")
DP_REAL(paired_off, 0.6, "iterations", "presets",
	"by which loops that repeat as often differ, or …")
DP_REAL(paired_share, 0.08, "share", "presets",
	"… by this share")
DP_REAL(power_off, 0.3, "iterations", "presets",
	"from a power of two, or …")
DP_REAL(power_share, 0.02, "share", "presets",
	"… by this share")
DP_REAL(structure, 0.15, "share", "presets",
	"of a step that its loops have, at least")
DP_REAL(structure_layer, 0.5, "share", "presets",
	"the same of a short pattern: layers have two norms or experts alike")
DP_REAL(structured, 0.3, "share", "presets",
	"of a loop inside that its own loops have")
DP_REAL(layers_few, 2.5, "iterations", "presets",
	"what a layer has two of, as queries and keys, is no layer itself")
DP_REAL(outer_repeats, 2.5, "iterations", "families", "of an outer loop, at least")
DP_REAL(alike_edits, 0.1, "share", "families, real",
	"of the symbols of an outer loop, or of two or three repeats, that edits are, at most: "
	"so few repeats show no more than that they are alike")
DP_REAL(outer_spans, 0.2, "1/iteration", "families",
	"spans of it, besides one")
DP_REAL(adjacent_short, 0.2, "ratio", "families",
	"of the longest loop: a shorter one without structure is no iteration")
DP_WHOLE(alternating_parts, 4, "parts", "real",
	"that differ in turn: directions, buffers")
DP_WHOLE(alternating_length, 16, "kernels", "real",
	"of a part, at least: fewer agree by chance")
DP_REAL(alternating_same, 0.8, "share", "real",
	"of kernels that such parts have in common, …")
DP_REAL(alternating_inside, 0.5, "share", "real",
	"… and that recur at a shorter distance, at most")

/* Description length (pattern/pattern.c). */
DP_REAL(edit_bits, 3, "bits", "families", "of an edit next to its place")
DP_REAL(edit_joined_bits, 0.5, "bits", "families",
	"of one that follows another of its kind")
DP_REAL(few_repeats, 3, "iterations", "families",
	"from which on a majority decides each symbol of a pattern")

/* Repetitions that are collapsed (pattern/runs.c). */
DP_WHOLE(run_period, 64, "symbols", "presets",
	"of what is repeated, at most")
DP_WHOLE(run_times, 3, "times", "presets",
	"on end, at least")

/* Classes of names (pattern/classes.c). */
DP_WHOLE(class_rows, 6, "iterations", "families",
	"that show which names take each other's place")

/* The tree of loops (loops/tree.c). */
DP_REAL(regular_covered, 0.9, "share", "families",
	"of the sequence: what is left needs no other search, …")
DP_REAL(regular_edits, 0.05, "share", "families",
	"… with so few edits, …")
DP_REAL(regular_spans, 0.2, "1/iteration", "families",
	"… and so few spans")
DP_REAL(better, 0.8, "share", "families",
	"of the bits before that another description takes")
DP_REAL(better_regular, 1.1, "share", "families",
	"the same of a regular one")
DP_REAL(run_bits, 8, "bits", "families",
	"to describe how often something is repeated")
DP_REAL(run_share, 0.0625, "share", "families",
	"of the sequence that repetitions may be, in number")
DP_REAL(unlike_agreement, 0.7, "share", "real",
	"of agreement: below it no pattern describes the iterations, …")
DP_REAL(unlike_share, 0.5, "share", "real",
	"… where others cover less than this")
DP_REAL(few_coverage, 0.6, "share", "real",
	"of the sequence that two or three repeats must make up")
DP_REAL(few_most, 3.6, "iterations", "real",
	"more are found otherwise")
DP_WHOLE(few_length, 8, "kernels", "real, families",
	"of one, and of an iteration of a rare loop: fewer are alike by chance")
DP_REAL(finish_all, 0.9, "share", "presets",
	"of iterations that have an optimizer, or …")
DP_REAL(finish_stray, 0.05, "share", "presets",
	"… may seem to have one")

/* What precedes the kernels of one name (loops/traits.c). */
DP_WHOLE(uploads_min, 3, "uploads", "presets",
	"of one name, to believe it")
DP_REAL(uploads_share, 0.8, "share", "presets",
	"of a name's kernels that an upload comes before")

/* Patterns to loops (loops/batch.c). */
DP_WHOLE(bare_few, 16, "iterations", "tests",
	"of a loop without structure or a step's work: fewer may be the layers of one marked step")
DP_WHOLE(named_sample, 256, "iterations", "cost",
	"that vote on the exact name of each kernel of a pattern, show which names take each "
	"other's place, or whose pauses are looked at")

/* Iterations that branch (loops/branching.c). */
DP_WHOLE(branch_iterations, 20, "iterations", "real",
	"fewer may be parts of one pass that share kernels")
DP_WHOLE(branch_members, 2, "symbols", "real",
	"that alternate: one alone is anything")
DP_REAL(branch_longest, 3, "median gaps", "real",
	"of one iteration, at most")
DP_REAL(branch_regular, 0.9, "share", "real",
	"of gaps within a factor of two of the median")
DP_REAL(branch_spanned, 0.8, "share", "real",
	"of the sequence between the first and the last occurrence")
DP_REAL(branch_edits, 0.2, "feature", "real",
	"what irregular distances are worth, as edits")
DP_REAL(branch_shared, 0.2, "share", "real",
	"of the sequence that these symbols are")

/* Loops around others (loops/enclosing.c). */
DP_WHOLE(enclosing_min, 6, "symbols", "families",
	"of the folded sequence, or of what its patterns leave, that may repeat")
DP_WHOLE(enclosing_few, 64, "symbols", "families",
	"too few to be described in fewer bits")
DP_WHOLE(enclosing_fold, 4, "kernels", "families",
	"that one of them stands for on average, at least")
DP_REAL(enclosing_bits, 0.75, "share", "families",
	"of the bits without a pattern that the description may have")
DP_REAL(enclosing_bits_few, 2, "share", "families",
	"the same of few symbols")
DP_REAL(enclosing_coverage, 0.5, "share", "families",
	"of the folded sequence that must repeat")
DP_REAL(enclosed_share, 0.8, "share", "families",
	"of a loop's iterations that lie in the other's")

/* Features of confidence (loops/features.c), and loops that wait for more of it (loops/batch.c). */
DP_REAL(iterations_log, 6, "log2", "families",
	"of iterations: more than 64 are no likelier to be right")
DP_REAL(margin_max, 4, "log-odds", "families",
	"of votes: what is above is no likelier to be right")
DP_REAL(wait_for, 0.35, "probability", "families",
	"that a loop of a recording that goes on is right, to take it; a higher one misses "
	"programs whose boundaries names alone cannot tell")

/* Annotations against kernels (analysis_loops.c, analysis_streams.c). */
DP_REAL(surer, 0.75, "probability", "traces",
	"of a loop that is reported instead of the single iteration that annotations mark")
DP_REAL(everything, 0.95, "share", "real",
	"of the kernels: a mark around this many is around everything, and no iteration")
DP_REAL(marks_seen, 0.75, "share", "real",
	"of the device's marked iterations that have kernels on a stream: with fewer they are on "
	"several")

/* Iterations of another kind (iterate/unlike.c). */
DP_REAL(unlike_lack, 6, "1/share", "presets",
	"of the pattern that such a one lacks")
DP_WHOLE(unlike_alike, 2, "iterations", "presets",
	"alike that are something else")
DP_REAL(unlike_most, 4, "1/share", "presets",
	"of the iterations that may be")

/* Known numbers of iterations (loops/loops.c, loops/known_count.c). */
DP_REAL(count_level, 0.05, "share", "families",
	"by which another level has to fit better")
DP_REAL(count_near, 0.02, "share", "families",
	"by which a number may differ, …")
DP_REAL(count_off, 1.5, "iterations", "families", "… or this many, …")
DP_WHOLE(count_few, 8, "iterations", "families",
	"… of at least this many")
DP_REAL(count_likely, 0.9, "probability", "presets",
	"of a loop that a given number is held against")
DP_WHOLE(count_begin, 4, "kernels", "presets",
	"that tell a beginning")

/* Kernels that repeat in a row without showing iterations (analysis_operations.c). */
DP_WHOLE(again_names, 4, "names", "real",
	"of a sequence whose kernels alone may show none: more mostly do; also the kernels of an "
	"iteration that is found by counting, at most")
DP_WHOLE(again_some, 5, "times", "real",
	"in a row that a kernel runs to count as repeated, …")
DP_WHOLE(again_least, 3, "times", "real",
	"… or so often, if it and its repetitions are nearly all of the sequence:")
DP_REAL(again_share, 0.9, "share", "real",
	"of the kernels that is nearly all")
DP_WHOLE(again_others, 2, "kernels", "real",
	"of other names next to the repetitions, or one for each of several of them")

/* Streams that do one program's work (sequence/streams.c). */
DP_REAL(same_work, 0.5, "share", "real",
	"of kernel time, of each stream, in kernels that both have: streams of CUDA graphs share "
	"all, streams of data preparation 36% at most")
DP_REAL(at_once, 0.1, "share", "real",
	"of kernel time of two streams at once, at most, where they take turns")

/* Annotations that mark the iterations of a loop (sequence/repeated.c), and calls of the host. */
DP_WHOLE(marks_least, 3, "ranges", "traces",
	"of a name that repeats")
DP_WHOLE(marks_tried, 8, "names", "cost",
	"whose kernels are looked at, those with the longest ranges first")
DP_WHOLE(marks_apart, 2, "ranges", "traces",
	"by which their number may differ from the iterations': the capture cuts off two, and …")
DP_REAL(marks_apart_share, 0.1, "share", "traces",
	"… of the iterations may have no annotation")
DP_REAL(marks_loop, 0.95, "share", "traces",
	"of the loop's kernels that are annotated, at least")
DP_REAL(marks_inside, 0.8, "share", "traces",
	"of the annotated kernels that are the loop's, at least")
DP_WHOLE(look_back, 512, "calls", "cost",
	"before a kernel's launch that are looked at: what is further back is another iteration's")

/* The suffix tree of a long sequence is that of its parse (suffix/parse.c, pattern/search.c). */
DP_WHOLE(tree_leaves, 1 << 20, "leaves", "cost",
	"of a tree, 0.2 s and 40 MB; longer sequences are parsed into about as many phrases")
DP_WHOLE(parse_window, 3, "ratio", "cost",
	"of a window to the symbols for each leaf: a phrase has half as many on average")
DP_WHOLE(parse_thin, 4, "1/window", "families",
	"within which what repeats is cut once")

/* Repeats that may occur once per iteration (pattern/anchors.c). */
DP_WHOLE(counted_repeats, 3, "repeats", "families",
	"of one depth that are taken because they occur as often as -n says")
DP_REAL(gap_low, 0.5, "ratio", "families",
	"of the median gap between the occurrences of a repeat that a gap counts from, …")
DP_REAL(gap_high, 1.6, "ratio", "families",
	"… up to: twice as long is two iterations")
DP_REAL(gap_near, 0.9, "ratio", "families",
	"to the median gap, or its inverse, of a gap that is like it")
DP_REAL(gap_regular, 0.6, "share", "families",
	"of a repeat's score that it loses where no gap is like the median")
DP_REAL(anchor_regular, 0.7, "share", "families",
	"of gaps like the median that make a repeat regular")
DP_REAL(votes_power, 0.1, "exponent", "families",
	"of the number of repeats with such a gap, in its score")
DP_REAL(modal_share, 0.083, "share", "families",
	"of windows that are the same to the symbol: with fewer the one of median length is "
	"the pattern")
DP_WHOLE(window_long, 1 << 14, "symbols", "cost",
	"of a window: few repeats are so far apart, but by chance some are, …")
DP_WHOLE(long_support, 50, "1/share", "cost",
	 "… and trying them takes up to 13 times as long on noisy sequences: of all occurrences "
	 "this many have to be anchors of such windows")
DP_WHOLE(windows_most, 1 << 12, "windows", "cost",
	"of an anchor that are compared: the most frequent is among them")

/* Choosing among candidates (pattern/choose.c). */
DP_WHOLE(judge_quick, 1 << 14, "symbols", "cost",
	"that candidates are judged by first, or …")
DP_WHOLE(judge_iterations, 6, "iterations", "families", "… as many as show this many iterations")
DP_WHOLE(judge_fair, 1 << 16, "symbols", "cost",
	"that the best of them are refined by")
DP_WHOLE(finalists, 8, "candidates", "cost",
	"that are refined")
DP_REAL(count_decay, 12, "1/share", "families",
	"of the bits saved, with the share by which the iterations miss a number that is given")
DP_REAL(count_fewer, 0.4, "iterations", "families",
	"fewer than given that may be: the capture cuts off one at an end, …")
DP_REAL(count_more, 2, "iterations", "families",
	"… or more: it may have a part of one at either end")

/* Patterns of what others leave (pattern/search.c). */
DP_WHOLE(rest_symbols, 24, "symbols", "families",
	"that are worth a search")
DP_WHOLE(stretch_least, 4, "symbols", "families",
	"of a stretch that may be of another loop")
DP_REAL(span_least, 0.8, "share", "families",
	"of an iteration that what repeats has at least, to be one")
DP_REAL(stand_in, 0.05, "share", "real",
	"of an iteration that is lacking where other kernels stand in for it")
DP_WHOLE(rare_iterations, 5, "iterations", "families",
	"of a loop with less coverage than others")
DP_REAL(rare_bits, 20, "bits", "families",
	"that such a loop saves: none of 10^6 random sequences has one")

/* Alignment (align/align.c, align/diff.c). */
DP_WHOLE(align_look, 2048, "symbols", "families",
	"that places of a pattern are compared over")
DP_WHOLE(align_credit, 1 << 20, "steps", "cost",
	"of bridging that are free, and …")
DP_WHOLE(align_pays, 8, "steps", "cost",
	"… that each symbol pays for")
DP_WHOLE(diff_most, 800, "edits", "cost",
	"between two stretches that are compared")

/* Limits on the part of a sequence that is examined. */
DP_WHOLE(units_tried, 8, "units", "cost",
	"that begin with one symbol, of repetitions that are collapsed")
DP_WHOLE(branch_alphabet, 512, "symbols", "cost",
	"that are compared with each other as members of a branch")
DP_WHOLE(enclosing_most, 1 << 24, "symbols", "cost",
	"of a folded sequence")
DP_WHOLE(upload_sample, 1 << 15, "symbols", "cost",
	"that are asked whether an upload comes before them")
DP_WHOLE(collapse_most, 1 << 26, "symbols", "cost",
	"that repetitions are looked for in")

/* The online detector (online/). */
DP_WHOLE(online_gather, 128, "symbols", "families",
	"at first, or after a difference, before a look")
DP_WHOLE(online_quiet, 96, "symbols", "families",
	"without a difference after which those before are settled")
DP_WHOLE(online_patience, 1024, "symbols", "families",
	"that fit no loop before a search, at first")
DP_WHOLE(online_eager, 16, "ratio", "cost",
	"of the symbols that were searched, by all searches, to those that came")
DP_REAL(online_surer, 0.05, "probability", "families",
	"more that makes a known loop begin elsewhere")
