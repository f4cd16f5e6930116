/* The thread of each row. Cost: constant for each, expected. */
#include "import/kineto_rows.h"

#include <stdio.h>
#include <string.h>

void dp_kineto_rows__fini(struct dp_kineto_rows *rows)
{
	dp_strings__fini(&rows->keys);
	free(rows->rows);
}

/* Returns the entry of a row; a new one has its own number as thread. NULL if memory runs out. */
static struct dp_kineto_row *row_of(struct dp_kineto_rows *rows, int64_t pid, int64_t tid)
{
	size_t count = rows->keys.count;
	char key[48];
	int length = snprintf(key, sizeof(key), "%lld %lld", (long long)pid, (long long)tid);
	uint32_t id;

	if (dp_array__reserve(&rows->rows, &rows->room, count + 1, sizeof(*rows->rows)))
		return NULL;
	id = dp_strings__intern(&rows->keys, key, (size_t)length);
	if (id == DP_NONE)
		return NULL;
	if (id == count)
		rows->rows[id] = (struct dp_kineto_row){ .tid = tid, .known = true };
	return &rows->rows[id];
}

/* Returns what follows a prefix, NULL if the text has another one. */
static const char *after(const struct dp_json_text *text, const char *word)
{
	size_t length = strlen(word);

	return text->length >= length && !memcmp(text->at, word, length) ? text->at + length : NULL;
}

int dp_kineto_rows__note(struct dp_kineto_rows *rows, const struct dp_chrome_event *event)
{
	uint32_t need = DP_CHROME_TID | DP_CHROME_LABELS | DP_CHROME_NAME;
	const char *end, *named, *number;
	struct dp_kineto_row *row;
	int64_t tid;

	/* Members that an event lacks may be left from an earlier event. */
	if ((event->has & need) != need || !after(&event->name, "thread_name"))
		return DP_OK;
	end = event->labels.at + event->labels.length;
	named = after(&event->labels, "thread ");
	number = named ? named : after(&event->labels, "row of thread ");
	if (number ? !dp_json__decimal(number, (size_t)(end - number), 0, &tid)
		   : !after(&event->labels, "no thread"))
		return DP_OK;
	row = row_of(rows, event->pid, event->tid);
	if (!row)
		return DP_ERR_NOMEM;
	*row = (struct dp_kineto_row){ .tid = number ? tid : row->tid,
				       .known = number != NULL,
				       .unnamed = !named };
	return DP_OK;
}

int dp_kineto_rows__find(struct dp_kineto_rows *rows, int64_t pid, int64_t tid,
			 struct dp_kineto_row *found)
{
	const struct dp_kineto_row *row;

	*found = (struct dp_kineto_row){ .tid = tid, .known = true };
	if (!rows->keys.count)
		return DP_OK;
	row = row_of(rows, pid, tid);
	if (!row)
		return DP_ERR_NOMEM;
	*found = *row;
	return DP_OK;
}
