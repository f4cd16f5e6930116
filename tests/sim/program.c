/* Reads the description of a program: sections, keys and actions, each by a table. */
#include "program.h"
#include "rng.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { TEXT, NUMBER, TIME, BYTES, SHARE, FLAG, RANGE, CHOICE };

struct key {
	const char *name;
	enum type type;
	size_t offset;
	size_t size;	     /* of a text */
	const char *choices; /* of a choice: words, each followed by a blank */
	const char *help;
};

#define AT(type, field) offsetof(struct type, field), sizeof(((struct type *)NULL)->field)

static const struct key program_keys[] = {
	{ "title", TEXT, AT(sim_program, title), NULL, "what the program is called" },
	{ "gpu", TEXT, AT(sim_program, gpu), NULL, "the device's name" },
	{ "framework", TEXT, AT(sim_program, framework), NULL, "pytorch or tensorflow" },
	{ "processes", NUMBER, AT(sim_program, processes), NULL, "processes with a device each" },
	{ "devices", NUMBER, AT(sim_program, devices), NULL, "devices per process" },
	{ "launches", FLAG, AT(sim_program, launches), NULL, "record launch calls" },
	{ "operators", FLAG, AT(sim_program, operators), NULL, "record framework operators" },
	{ "marks", FLAG, AT(sim_program, marks), NULL, "record annotations of iterations" },
	{ "flows", FLAG, AT(sim_program, flows), NULL, "Chrome traces have flows to operations" },
	{ "graphs", FLAG, AT(sim_program, graphs), NULL, "a graph's replay is one operation" },
	{ "jitter", SHARE, AT(sim_program, jitter), NULL, "of every kernel's time" },
	{ "loss", SHARE, AT(sim_program, loss), NULL, "of the operations, dropped" },
	{ "head", SHARE, AT(sim_program, head), NULL,
	  "of the first iteration, before the capture" },
	{ "tail", SHARE, AT(sim_program, tail), NULL, "of the last iteration, after the capture" },
	{ "after", NUMBER, AT(sim_program, after), NULL, "iterations before the capture" },
	{ "head_kernels", NUMBER, AT(sim_program, head_kernels), NULL,
	  "kernels before the capture, to the kernel" },
	{ "queue", NUMBER, AT(sim_program, queue), NULL, "launches that fit the queue" },
	{ "launch", TIME, AT(sim_program, launch_ns), NULL, "time of a launch call" },
	{ "sample", TIME, AT(sim_program, sample_ns), NULL, "between samples of clocks and power" },
};

static const struct key net_keys[] = {
	{ "kind", CHOICE, AT(sim_net, kind), "conv transformer rnn mlp fused ", "its layers" },
	{ "layers", NUMBER, AT(sim_net, layers), NULL, "how many" },
	{ "kernel", TIME, AT(sim_net, kernel_ns), NULL, "an ordinary kernel's time" },
	{ "host", TIME, AT(sim_net, host_ns), NULL, "the framework's time per launch" },
	{ "seed", NUMBER, AT(sim_net, seed), NULL, "chooses its kernels" },
	{ "optimizer", TEXT, AT(sim_net, optimizer), NULL, "sgd, adam or foreach" },
};

static const struct key loop_keys[] = {
	{ "count", RANGE, AT(sim_loop, count), NULL,
	  "iterations; of a range, drawn at each entry" },
	{ "length", RANGE, AT(sim_loop, length), NULL, "drawn per iteration, for times=length" },
	{ "mark", TEXT, AT(sim_loop, mark), NULL, "annotation of each iteration" },
	{ "default", FLAG, AT(sim_loop, is_default), NULL, "what a user means by iteration" },
	{ "plain", FLAG, AT(sim_loop, plain), NULL, "a subroutine, no loop of the truth" },
	{ "buckets", NUMBER, AT(sim_loop, buckets), NULL, "shapes with kernels of their own" },
	{ "gemm_jitter", SHARE, AT(sim_loop, gemm_jitter), NULL, "of the matrix kernels replaced" },
	{ "insert", SHARE, AT(sim_loop, insert), NULL, "of the kernels get a foreign one before" },
	{ "erase", SHARE, AT(sim_loop, erase), NULL, "of the kernels do not run" },
	{ "substitute", SHARE, AT(sim_loop, substitute), NULL, "of the kernels replaced" },
	{ "async", NUMBER, AT(sim_loop, async), NULL, "kernels of another thread per iteration" },
	{ "warmup", NUMBER, AT(sim_loop, warmup), NULL, "first iterations that are slow" },
	{ "slow", SHARE, AT(sim_loop, slow), NULL, "times as slow while warming up" },
	{ "swell", TIME, AT(sim_loop, swell_ns), NULL,
	  "more of its first kernel with every iteration" },
	{ "hot", RANGE, AT(sim_loop, hot), NULL, "iterations whose clocks heat holds down" },
	{ "heat", SHARE, AT(sim_loop, heat), NULL, "times as long kernels take then" },
	{ "recompile", NUMBER, AT(sim_loop, recompile), NULL, "iteration with new fused kernels" },
};

static const struct key action_keys[] = {
	{ "time", TIME, AT(sim_action, time_ns), NULL, "how long to wait" },
	{ "grow", TIME, AT(sim_action, grow_ns), NULL, "more with every iteration" },
	{ "within", CHOICE, AT(sim_action, within), "nothing loader item metrics ",
	  "the range that it is in" },
	{ "jitter", SHARE, AT(sim_action, jitter), NULL, "of the time or the bytes" },
	{ "api", CHOICE, AT(sim_action, api), "malloc free host_alloc ", "the call of a stall" },
	{ "bytes", BYTES, AT(sim_action, bytes), NULL, "how many" },
	{ "bandwidth", BYTES, AT(sim_action, bandwidth), NULL, "bytes per microsecond" },
	{ "memory", CHOICE, AT(sim_action, memory), "pageable pinned device ", "the host's side" },
	{ "copy_stream", FLAG, AT(sim_action, on_copy_stream), NULL, "not on the main stream" },
	{ "ahead", FLAG, AT(sim_action, ahead), NULL, "nothing waits for it" },
	{ "block", FLAG, AT(sim_action, block), NULL, "the host waits for it" },
	{ "count", RANGE, AT(sim_action, count), NULL, "how many kernels, copies" },
	{ "times", RANGE, AT(sim_action, times), NULL, "repetitions, or \"length\"" },
	{ "every", NUMBER, AT(sim_action, every), NULL, "only once in this many iterations" },
	{ "offset", NUMBER, AT(sim_action, offset), NULL, "which of them" },
	{ "chance", SHARE, AT(sim_action, chance), NULL, "only with this probability" },
	{ "from", NUMBER, AT(sim_action, from), NULL, "only from this iteration on" },
	{ "until", NUMBER, AT(sim_action, until), NULL, "only before this iteration" },
};

static const struct {
	const char *name;
	enum sim_verb verb;
	bool named;
	const char *help;
} verbs[] = {
	{ "loop", SIM_DO_LOOP, true, "run a loop" },
	{ "wait", SIM_DO_WAIT, false, "the host is busy elsewhere: time, jitter, grow, within" },
	{ "stall", SIM_DO_STALL, false,
	  "the host is in a call without work: time, jitter, api, within" },
	{ "sync", SIM_DO_SYNC, false, "the host waits for the device" },
	{ "upload", SIM_DO_UPLOAD, false,
	  "host to device: bytes, memory, copy_stream, ahead, within" },
	{ "download", SIM_DO_DOWNLOAD, false, "device to host: bytes, memory, within" },
	{ "copy", SIM_DO_COPY, false, "device to device: bytes" },
	{ "set", SIM_DO_SET, false, "fill memory: bytes" },
	{ "forward", SIM_DO_FORWARD, true, "a net's forward pass: times" },
	{ "backward", SIM_DO_BACKWARD, true, "a net's backward pass: times" },
	{ "zero", SIM_DO_ZERO, true, "clear a net's gradients" },
	{ "optimize", SIM_DO_OPTIMIZE, true, "update a net's parameters" },
	{ "loss", SIM_DO_LOSS, false, "a loss function and its gradient" },
	{ "statistics", SIM_DO_STATISTICS, false, "fixed kernels of logging: count" },
	{ "random", SIM_DO_RANDOM, false, "kernels that differ every time: count" },
	{ "tune", SIM_DO_TUNE, false, "kernels that an autotuner tries: count" },
	{ "reduce", SIM_DO_REDUCE, false, "a collective on its own stream: bytes, count" },
	{ "graph", SIM_DO_GRAPH, true, "replay a net's forward and backward pass as a graph" },
	{ "allocate", SIM_DO_ALLOCATE, false, "device memory: bytes" },
	{ "free", SIM_DO_FREE, false, "device memory: bytes" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int fail(struct sim_program *program, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct sim_program *program, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(program->error, sizeof(program->error), format, args);
	va_end(args);
	return -1;
}

/*
 * A decimal number times scale, rounded down, and what follows it: "0.035" with a scale of a
 * million is 35000. No floating point: the result is the same everywhere.
 */
static bool parse_decimal(const char **text, uint64_t scale, uint64_t *value)
{
	const char *p = *text;
	uint64_t whole = 0, part = 0, unit = scale;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(whole, 10u, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
			return false;
	if (*p == '.' && isdigit((unsigned char)p[1]))
		for (p++; isdigit((unsigned char)*p); p++) {
			unit /= 10;
			part += unit * (uint64_t)(*p - '0');
		}
	if (__builtin_mul_overflow(whole, scale, &whole) ||
	    __builtin_add_overflow(whole, part, value))
		return false;
	*text = p;
	return true;
}

static bool parse_unit(const char *text, enum type type, uint64_t *scale, const char **units_end)
{
	static const struct {
		const char *name;
		enum type type;
		uint64_t scale;
	} units[] = {
		{ "ns", TIME, 1 },	    { "us", TIME, 1000 }, { "ms", TIME, 1000000 },
		{ "s", TIME, 1000000000 },  { "k", BYTES, 1024 }, { "M", BYTES, 1048576 },
		{ "G", BYTES, 1073741824 },
	};
	while (isdigit((unsigned char)*text) || *text == '.')
		text++;
	*scale = 1;
	*units_end = text;
	for (size_t i = 0; i < COUNT(units); i++)
		if (units[i].type == type && strcmp(units[i].name, text) == 0) {
			*scale = units[i].scale;
			*units_end = text + strlen(text);
		}
	return **units_end == 0;
}

static bool parse_quantity(const char *text, enum type type, uint64_t *value)
{
	uint64_t scale;
	const char *end;

	if (type == SHARE) {
		if (!parse_decimal(&text, SIM_MILLION, value))
			return false;
		return *text == 0;
	}
	return parse_unit(text, type, &scale, &end) && parse_decimal(&text, scale, value);
}

static bool parse_range(const char *text, struct sim_range *range)
{
	uint64_t low, high;

	if (!parse_decimal(&text, 1, &low))
		return false;
	high = low;
	if (strncmp(text, "..", 2) == 0) {
		text += 2;
		if (!parse_decimal(&text, 1, &high))
			return false;
	}
	if (*text || high < low || high > UINT32_MAX / 2)
		return false;
	range->low = (uint32_t)low;
	range->high = (uint32_t)high;
	return true;
}

static bool parse_choice(const char *text, const char *choices, uint32_t *value)
{
	size_t length = strlen(text);

	for (*value = 0; *choices; ++*value) {
		const char *blank = strchr(choices, ' ');

		if ((size_t)(blank - choices) == length && memcmp(choices, text, length) == 0)
			return true;
		choices = blank + 1;
	}
	return false;
}

static bool parse_flag(const char *text, bool *value)
{
	*value = strcmp(text, "yes") == 0;
	return *value || strcmp(text, "no") == 0;
}

static bool store(void *base, const struct key *key, const char *text)
{
	char *at = (char *)base + key->offset;
	uint64_t quantity;
	uint32_t small;

	switch (key->type) {
	case TEXT:
		if (strlen(text) >= key->size)
			return false;
		memset(at, 0, key->size);
		memcpy(at, text, strlen(text));
		return true;
	case FLAG:
		return parse_flag(text, (bool *)at);
	case RANGE:
		return parse_range(text, (struct sim_range *)at);
	case CHOICE:
		if (!parse_choice(text, key->choices, &small))
			return false;
		memcpy(at, &small, sizeof(small));
		return true;
	default:
		if (!parse_quantity(text, key->type, &quantity))
			return false;
		if (key->size == sizeof(uint64_t)) {
			memcpy(at, &quantity, sizeof(quantity));
			return true;
		}
		small = (uint32_t)quantity;
		memcpy(at, &small, sizeof(small));
		return quantity <= UINT32_MAX / 2;
	}
}

static const struct key *key_get(const struct key *keys, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

static void *grow(void *data, size_t *room, size_t count, size_t size)
{
	void *grown;

	if (count < *room)
		return data;
	grown = realloc(data, (*room * 2 + 4) * size);
	if (grown)
		*room = *room * 2 + 4;
	return grown;
}

static int action_word(struct sim_program *program, struct sim_action *action, bool named,
		       char *word)
{
	char *value = strchr(word, '=');
	const struct key *key;

	if (!value) {
		if (!named || action->name[0])
			return fail(program, "\"%s\" is not a key=value", word);
		if (strlen(word) >= sizeof(action->name))
			return fail(program, "the name \"%s\" is too long", word);
		memcpy(action->name, word, strlen(word) + 1);
		return 0;
	}
	*value++ = 0;
	if (strcmp(word, "times") == 0 && strcmp(value, "length") == 0) {
		action->times_length = true;
		return 0;
	}
	key = key_get(action_keys, COUNT(action_keys), word);
	if (!key || !store(action, key, value))
		return fail(program, "\"%s=%s\" is no key of an action, or no value for it", word,
			    value);
	return 0;
}

static int parse_action(struct sim_program *program, struct sim_loop *loop, char *text)
{
	struct sim_action *grown, action = {
		.chance = SIM_MILLION,
		.count = { 1, 1 },
		.times = { 1, 1 },
		.until = UINT32_MAX,
	};
	char *save = NULL, *word = strtok_r(text, " \t", &save);
	size_t verb = 0;

	if (!word)
		return 0;
	while (verb < COUNT(verbs) && strcmp(verbs[verb].name, word) != 0)
		verb++;
	if (verb == COUNT(verbs))
		return fail(program, "\"%s\" is no action", word);
	action.verb = verbs[verb].verb;
	while ((word = strtok_r(NULL, " \t", &save)))
		if (action_word(program, &action, verbs[verb].named, word))
			return -1;
	if (verbs[verb].named && !action.name[0])
		return fail(program, "\"%s\" needs a name", verbs[verb].name);
	grown = grow(loop->actions, &loop->action_room, loop->action_count, sizeof(action));
	if (!grown)
		return fail(program, "out of memory");
	loop->actions = grown;
	loop->actions[loop->action_count++] = action;
	return 0;
}

static int parse_actions(struct sim_program *program, struct sim_loop *loop, const char *value)
{
	char *copy = strdup(value), *save = NULL, *action;
	int status = copy ? 0 : fail(program, "out of memory");

	if (!*value)
		loop->action_count = 0;
	for (action = copy ? strtok_r(copy, ";", &save) : NULL; action && !status;
	     action = strtok_r(NULL, ";", &save))
		status = parse_action(program, loop, action);
	free(copy);
	return status;
}

static struct sim_net *net_get(struct sim_program *program, const char *name)
{
	for (size_t i = 0; i < program->net_count; i++)
		if (strcmp(program->nets[i].name, name) == 0)
			return &program->nets[i];
	return NULL;
}

static struct sim_loop *loop_get(struct sim_program *program, const char *name)
{
	for (size_t i = 0; i < program->loop_count; i++)
		if (strcmp(program->loops[i].name, name) == 0)
			return &program->loops[i];
	return NULL;
}

static int add_net(struct sim_program *program, const char *name)
{
	struct sim_net *grown =
		grow(program->nets, &program->net_room, program->net_count, sizeof(*grown));
	struct sim_net *net;

	if (!grown)
		return fail(program, "out of memory");
	program->nets = grown;
	net = &grown[program->net_count++];
	*net = (struct sim_net){
		.layers = 8, .kernel_ns = 30000, .host_ns = 6000, .optimizer = "sgd"
	};
	memcpy(net->name, name, strlen(name) + 1);
	return 0;
}

static int add_loop(struct sim_program *program, const char *name)
{
	struct sim_loop *grown =
		grow(program->loops, &program->loop_room, program->loop_count, sizeof(*grown));
	struct sim_loop *loop;

	if (!grown)
		return fail(program, "out of memory");
	program->loops = grown;
	loop = &grown[program->loop_count++];
	*loop = (struct sim_loop){
		.count = { 1, 1 }, .length = { 1, 1 }, .slow = SIM_MILLION, .heat = SIM_MILLION
	};
	memcpy(loop->name, name, strlen(name) + 1);
	return 0;
}

static int set_key(struct sim_program *program, const char *section, const char *name,
		   const char *value)
{
	struct sim_net *net = net_get(program, section);
	struct sim_loop *loop =
		strcmp(section, "program") == 0 ? &program->root : loop_get(program, section);
	const struct key *key = NULL;
	void *base = NULL;

	if (loop && strcmp(name, "do") == 0)
		return parse_actions(program, loop, value);
	if (loop == &program->root) {
		key = key_get(program_keys, COUNT(program_keys), name);
		base = program;
	} else if (loop) {
		key = key_get(loop_keys, COUNT(loop_keys), name);
		base = loop;
	} else if (net) {
		key = key_get(net_keys, COUNT(net_keys), name);
		base = net;
	} else {
		return fail(program, "no section \"%s\"", section);
	}
	if (!key)
		return fail(program, "[%s] has no key \"%s\"", section, name);
	if (!store(base, key, value))
		return fail(program, "[%s] %s: \"%s\" is no value for it", section, name, value);
	return 0;
}

static int set_section(struct sim_program *program, char *section, size_t size, const char *header)
{
	char type[16], name[32];
	int n = sscanf(header, "%15s %31s", type, name);

	if (n == 1 && strcmp(type, "program") == 0) {
		snprintf(section, size, "program");
		return 0;
	}
	if (n != 2)
		return fail(program, "[%s] is no section", header);
	snprintf(section, size, "%s", name);
	if (net_get(program, name) || loop_get(program, name) || strcmp(name, "program") == 0)
		return fail(program, "[%s] appears twice", header);
	if (strcmp(type, "net") == 0)
		return add_net(program, name);
	if (strcmp(type, "loop") == 0)
		return add_loop(program, name);
	return fail(program, "[%s] is no section", header);
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int parse_line(struct sim_program *program, char *section, size_t size, char *line)
{
	char *value = strchr(line, '#');

	if (value)
		*value = 0;
	line = trim(line);
	if (!*line)
		return 0;
	if (*line == '[') {
		char *close = strchr(line, ']');

		if (!close)
			return fail(program, "\"%s\" lacks a ]", line);
		*close = 0;
		return set_section(program, section, size, line + 1);
	}
	value = strchr(line, '=');
	if (!value)
		return fail(program, "\"%s\" is not key = value", line);
	*value++ = 0;
	return set_key(program, section, trim(line), trim(value));
}

int sim_program_parse(struct sim_program *program, const char *text)
{
	char section[32] = "program", message[200];
	char *copy = strdup(text), *line = copy, *next;
	int status = copy ? 0 : fail(program, "out of memory");

	for (unsigned number = 1; line && !status; number++, line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		status = parse_line(program, section, sizeof(section), line);
		if (status) {
			snprintf(message, sizeof(message), "%s", program->error);
			fail(program, "line %u: %.180s", number, message);
		}
	}
	free(copy);
	return status;
}

int sim_program_set(struct sim_program *program, const char *section_key, const char *value)
{
	const char *dot = strchr(section_key, '.');
	char section[32] = "program";

	if (!dot)
		return set_key(program, section, section_key, value);
	snprintf(section, sizeof(section), "%.*s", (int)(dot - section_key), section_key);
	return set_key(program, section, dot + 1, value);
}

int sim_program_set_count(struct sim_program *program, const char *value)
{
	for (size_t i = 0; i < program->loop_count; i++)
		if (program->loops[i].is_default)
			return set_key(program, program->loops[i].name, "count", value);
	return fail(program, "the program has no default loop whose iterations could be set");
}

static int resolve(struct sim_program *program, struct sim_loop *loop)
{
	for (size_t i = 0; i < loop->action_count; i++) {
		struct sim_action *action = &loop->actions[i];
		struct sim_net *net = net_get(program, action->name);
		struct sim_loop *other = loop_get(program, action->name);

		if (!action->name[0])
			continue;
		if (action->verb == SIM_DO_LOOP ? !other : !net)
			return fail(program, "[%s] names \"%s\", which is not there", loop->name,
				    action->name);
		action->target = action->verb == SIM_DO_LOOP ? (uint32_t)(other - program->loops)
							     : (uint32_t)(net - program->nets);
	}
	return 0;
}

/* True if a loop runs itself, directly or not. Depth is bounded by the number of loops. */
static bool recurses(const struct sim_program *program, const struct sim_loop *loop, size_t depth)
{
	if (depth > program->loop_count)
		return true;
	for (size_t i = 0; i < loop->action_count; i++)
		if (loop->actions[i].verb == SIM_DO_LOOP &&
		    recurses(program, &program->loops[loop->actions[i].target], depth + 1))
			return true;
	return false;
}

int sim_program_finish(struct sim_program *program)
{
	if (resolve(program, &program->root))
		return -1;
	for (size_t i = 0; i < program->loop_count; i++)
		if (resolve(program, &program->loops[i]))
			return -1;
	if (recurses(program, &program->root, 0))
		return fail(program, "a loop runs itself");
	if (program->processes == 0 || program->devices == 0 || program->processes > 64 ||
	    program->devices > 64)
		return fail(program, "1 to 64 processes and devices");
	if (program->head > SIM_MILLION || program->tail >= SIM_MILLION)
		return fail(program, "head and tail are shares of an iteration, below 1");
	if (program->queue == 0 || program->queue > 65536)
		return fail(program, "a queue of 1 to 65536 launches");
	return 0;
}

bool sim_action_conditional(const struct sim_action *action)
{
	return action->every > 1 || action->chance < SIM_MILLION || action->from ||
	       action->until != UINT32_MAX;
}

void sim_program_init(struct sim_program *program)
{
	memset(program, 0, sizeof(*program));
	*program = (struct sim_program){
		.title = "training",
		.gpu = "NVIDIA A100-SXM4-40GB",
		.framework = "pytorch",
		.processes = 1,
		.devices = 1,
		.launches = true,
		.operators = true,
		.marks = true,
		.flows = true,
		.graphs = true,
		.jitter = 20000,
		.queue = 1024,
		.launch_ns = 5000,
		.root = { .name = "program",
			  .count = { 1, 1 },
			  .plain = true,
			  .length = { 1, 1 },
			  .slow = SIM_MILLION },
	};
}

void sim_program_fini(struct sim_program *program)
{
	for (size_t i = 0; i < program->loop_count; i++)
		free(program->loops[i].actions);
	free(program->root.actions);
	free(program->loops);
	free(program->nets);
}

static void help_keys(const struct key *keys, size_t count, const char *title,
		      void (*line)(const char *text))
{
	static const char *const types[] = { "text",  "number", "time",	 "bytes",
					     "share", "yes/no", "range", "choice" };
	char text[160];

	line(title);
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "  %-14s %-8s %s%s%s", keys[i].name,
			 types[keys[i].type], keys[i].help, keys[i].choices ? ": " : "",
			 keys[i].choices ? keys[i].choices : "");
		line(text);
	}
}

void sim_program_help(void (*line)(const char *text))
{
	char text[160];

	help_keys(program_keys, COUNT(program_keys), "[program]", line);
	help_keys(net_keys, COUNT(net_keys), "[net NAME]", line);
	help_keys(loop_keys, COUNT(loop_keys), "[loop NAME]", line);
	line("do = ACTION; ACTION ... in [program] and [loop NAME]");
	for (size_t i = 0; i < COUNT(verbs); i++) {
		snprintf(text, sizeof(text), "  %s%-*s %s", verbs[i].name,
			 (int)(15 - strlen(verbs[i].name)), verbs[i].named ? " NAME" : "",
			 verbs[i].help);
		line(text);
	}
	help_keys(action_keys, COUNT(action_keys), "keys of an action", line);
}
