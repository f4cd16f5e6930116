/*
 * Samples of call stacks in deepprof's own trace file. Of each stack one function counts: the
 * innermost that a user can do something about. In C and CUDA libraries that is whoever called
 * them, and between a Python function and the next one there are only the interpreter and
 * libraries.
 */
#include "import/deepprof_private.h"

#include <stdio.h>
#include <string.h>

/* The higher, the better: of equals the innermost counts. */
enum { NONE, SYSTEM, NATIVE, PYTHON };

enum { ID, PARENT, NAME, MODULE };

/* Python's perf map has "py::NAME:FILE". */
static const char python[] = "py::";

static bool begins_with(const char *text, size_t length, const char *start)
{
	return length >= strlen(start) && !memcmp(text, start, strlen(start));
}

static bool is_system(const char *module, size_t length)
{
	static const char *const starts[] = { "libc.so",    "libpthread.so", "libm.so",
					      "ld-linux",   "libcuda",	     "libcupti",
					      "libnvidia-", "libdeepprof" };

	for (size_t i = 0; i < DP_COUNT(starts); i++)
		if (begins_with(module, length, starts[i]))
			return true;
	return false;
}

/* Returns "Model.forward (model.py)" of "py::Model.forward:/home/me/model.py". */
static uint32_t python_function(struct dp_builder *builder, const char *name, size_t length)
{
	const char *end = name + length, *colon, *file;
	char text[1200];
	int used;

	name += strlen(python);
	colon = memchr(name, ':', (size_t)(end - name));
	if (!colon)
		return dp_builder__string(builder, name, (size_t)(end - name));
	file = end;
	while (file > colon + 1 && file[-1] != '/')
		file--;
	used = snprintf(text, sizeof(text), "%.*s (%.*s)", (int)DP_MIN(colon - name, 800), name,
			(int)DP_MIN(end - file, 300), file);
	return dp_builder__string(builder, text, (size_t)used);
}

/* What a function by itself counts for. */
static struct deepprof_place own_place(struct dp_cupti *cupti, struct dp_rows *rows)
{
	static const char interpreter[] = "the Python interpreter";
	struct dp_builder *builder = cupti->import->builder;
	struct deepprof_place place = { DP_NONE, NONE };
	size_t name_length, length;
	const char *name = dp_rows__text(rows, NAME, &name_length);
	const char *module = dp_rows__text(rows, MODULE, &length);

	if (name && begins_with(name, name_length, python)) {
		place.rank = PYTHON;
		place.function = python_function(builder, name, name_length);
	} else if (module && (begins_with(module, length, "python3") ||
			      begins_with(module, length, "libpython3"))) {
		place.rank = NATIVE;
		place.function = dp_builder__string(builder, interpreter, strlen(interpreter));
	} else if (name || module) {
		place.rank = module && is_system(module, length) ? SYSTEM : NATIVE;
		place.function = dp_builder__string(builder, name ? name : module,
						    name ? name_length : length);
	}
	return place;
}

static int read_entry(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct deepprof *deepprof = dp_deepprof__of(cupti);
	struct dp_key key = { { dp_rows__id(rows, ID) } };
	struct dp_key caller = { { dp_rows__id(rows, PARENT) } };
	struct deepprof_place place = own_place(cupti, rows);
	/* A caller precedes what it calls. */
	uint32_t parent = dp_rows__is_null(rows, PARENT)
				  ? DP_NONE
				  : dp_lookup__get(&deepprof->stacks, &caller);

	if (place.rank != NONE && place.function == DP_NONE)
		return dp_cupti__failed(cupti);
	if (parent != DP_NONE && deepprof->places[parent].rank > place.rank)
		place = deepprof->places[parent];
	if (deepprof->place_count >= DP_NONE ||
	    dp_array__reserve(&deepprof->places, &deepprof->place_room, deepprof->place_count + 1,
			      sizeof(place)) ||
	    dp_lookup__set(&deepprof->stacks, &key, (uint32_t)deepprof->place_count))
		return dp_cupti__nomem(cupti);
	deepprof->places[deepprof->place_count++] = place;
	return DP_OK;
}

enum { LENGTH = DP_CUPTI_OWN, STACK };

static int read_sample(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct deepprof *deepprof = dp_deepprof__of(cupti);
	struct dp_key key = { { dp_rows__id(rows, STACK) } };
	uint32_t stack = dp_lookup__get(&deepprof->stacks, &key);
	struct dp_function_sample sample = {
		.length_ns = (uint32_t)dp_rows__integer(rows, LENGTH, 0, UINT32_MAX, 0),
		/* Only threads that called CUDA are known. */
		.thread = dp_places__find_thread(&cupti->places, dp_deepprof__pid(cupti, rows),
						 dp_rows__id(rows, DP_CUPTI_THREAD)),
	};

	if (sample.thread == DP_NONE || stack == DP_NONE || deepprof->places[stack].rank == NONE)
		return DP_OK;
	sample.function = deepprof->places[stack].function;
	if (!dp_rows__time(rows, DP_CUPTI_START, &sample.time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_function_sample(cupti->import->builder, &sample);
}

const struct dp_cupti_table dp_deepprof__stacks[] = {
	{ "call_stack",
	  read_entry,
	  { [ID] = { "id", true },
	    [PARENT] = { "parent", true },
	    [NAME] = { "name", true },
	    [MODULE] = { "module", true } } },
	{ "cpu_sample",
	  read_sample,
	  { [DP_CUPTI_PROCESS] = { "process", true },
	    [DP_CUPTI_THREAD] = { "tid", true },
	    [DP_CUPTI_START] = { "ts", true },
	    [LENGTH] = { "dur_ns", true },
	    [STACK] = { "stack", true } } },
	{ NULL },
};
