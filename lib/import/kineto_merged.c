/* Labels of merged traces, and the process being read. */
#include "import/kineto_merged.h"

#include <string.h>

/* As many as processes have names. Labels count from INT64_MIN, which no pid reaches. */
enum { MOST_LABELS = 65536 };

void dp_kineto_merged__fini(struct dp_kineto_merged *merged)
{
	dp_strings__fini(&merged->labels);
	free(merged->numbers);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool starts(const struct dp_json_text *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return text->length >= length && !memcmp(text->at, prefix, length);
}

/*
 * Returns the length of the label in a pid's text, 0 if it has none. "[TP00] 41077" and
 * "rank0_pid41077" are a label and a pid; "rank 0" is all label. Rows of GPUs alone, "GPU 0", have
 * none.
 */
static size_t label_length(const struct dp_json_text *text)
{
	size_t length = text->length;

	if (starts(text, "GPU") || starts(text, "Device ") || starts(text, "CUDA functions"))
		return 0;
	while (length && is_digit(text->at[length - 1]))
		length--;
	if (length == text->length)
		return 0;
	for (size_t i = 0; i < length; i++)
		if (is_digit(text->at[i]))
			return length;
	return text->length;
}

int dp_kineto_merged__label(struct dp_kineto_merged *merged, struct dp_chrome_event *event)
{
	size_t length = label_length(&event->pid_text), count = merged->labels.count;
	uint32_t id;

	if (!length || count >= MOST_LABELS || memchr(event->pid_text.at, '\0', length))
		return DP_OK;
	if (dp_array__reserve(&merged->numbers, &merged->room, count + 1, sizeof(*merged->numbers)))
		return DP_ERR_NOMEM;
	id = dp_strings__intern(&merged->labels, event->pid_text.at, length);
	if (id == DP_NONE)
		return DP_ERR_NOMEM;
	if (id == count)
		merged->numbers[id] = -2;
	event->pid = INT64_MIN + id;
	event->has |= DP_CHROME_PID;
	return DP_OK;
}

static bool is_label(const struct dp_kineto_merged *merged, int64_t pid)
{
	return pid < INT64_MIN + (int64_t)merged->labels.count;
}

void dp_kineto_merged__host(struct dp_kineto_merged *merged, const struct dp_chrome_event *event,
			    bool is_new)
{
	merged->mixed |= merged->known && (!is_new || !merged->has_gpu);
	merged->has_gpu = false;
	merged->known = true;
	merged->pid = event->pid;
	if (event->pid_text.length && is_label(merged, event->pid) &&
	    merged->numbers[event->pid - INT64_MIN] < 0)
		merged->numbers[event->pid - INT64_MIN] = dp_json__last_number(&event->pid_text);
}

void dp_kineto_merged__use(struct dp_kineto_merged *merged, int64_t pid)
{
	if (is_label(merged, pid) && merged->numbers[pid - INT64_MIN] == -2)
		merged->numbers[pid - INT64_MIN] = -1;
}

int64_t dp_kineto_merged__pid(const struct dp_kineto_merged *merged, int64_t pid)
{
	return is_label(merged, pid) ? merged->numbers[pid - INT64_MIN] : pid;
}
