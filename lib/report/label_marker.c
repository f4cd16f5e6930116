/*
 * Ranges that PyProf (apex.pyprof, nvidia-pyprof) writes around each call of PyTorch are Python
 * dictionaries:
 *
 *	{'traceMarker': ['train.py:314', '/…/torch/nn/modules/conv.py:456', '/…/nvmarker.py:95']}
 *	{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', …}]}
 *
 * The first is the Python stack from the outermost call on, which ends in PyProf's own wrapper.
 */
#include "report/label.h"

#include <stdio.h>
#include <string.h>

/* A part of a text that is not terminated. */
struct piece {
	const char *text;
	size_t length;
};

/* Takes "'…'" from the text, and moves it beyond. Returns false if none follows. */
static bool take_quoted(struct piece *piece, const char **text)
{
	const char *end;

	if (**text != '\'')
		return false;
	end = strchr(*text + 1, '\'');
	if (!end)
		return false;
	*piece = (struct piece){ *text + 1, (size_t)(end - *text - 1) };
	*text = end + 1;
	return true;
}

static bool skip(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length))
		return false;
	*text += length;
	return true;
}

static struct piece base_name(struct piece path)
{
	for (size_t i = path.length; i; i--)
		if (path.text[i - 1] == '/' || path.text[i - 1] == '\\')
			return (struct piece){ path.text + i, path.length - i };
	return path;
}

/* Finds the innermost line of a stack that is not PyProf's. Returns false if there is none. */
static bool innermost(struct piece *line, const char *text)
{
	static const char wrapper[] = "nvmarker.py:";
	struct piece frame;
	bool found = false;

	while (take_quoted(&frame, &text)) {
		frame = base_name(frame);
		if (frame.length && strncmp(frame.text, wrapper, strlen(wrapper))) {
			*line = frame;
			found = true;
		}
		if (!skip(&text, ", "))
			break;
	}
	return found;
}

bool dp_label__marker(char buf[DP_LABEL_SIZE], const char *text)
{
	struct piece module, op;

	if (skip(&text, "{'traceMarker': [")) {
		if (!innermost(&op, text))
			return false;
		snprintf(buf, DP_LABEL_SIZE, "%.*s",
			 (int)DP_MIN(op.length, (size_t)DP_LABEL_SIZE), op.text);
		return true;
	}
	if (!skip(&text, "{'mod': ") || !take_quoted(&module, &text) || !skip(&text, ", 'op': ") ||
	    !take_quoted(&op, &text))
		return false;
	snprintf(buf, DP_LABEL_SIZE, "%.*s.%.*s",
		 (int)DP_MIN(module.length, (size_t)DP_LABEL_SIZE), module.text,
		 (int)DP_MIN(op.length, (size_t)DP_LABEL_SIZE), op.text);
	return true;
}
