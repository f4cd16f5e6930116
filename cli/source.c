/* Opens traces. */
#include "source.h"
#include "folder.h"
#include "message.h"
#include "progress.h"
#include "record.h"
#include "spawn.h"

#include <deepprof/report.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *source_format_name(size_t index)
{
	const struct dp_format_info *format = dp_format(index);

	return format ? format->name : NULL;
}

/* Prints one line, whatever was lost. */
static void warn_losses(const struct dp_trace *trace, const char *path)
{
	unsigned long long lost = dp_trace_lost(trace), clamped = dp_trace_clamped(trace);
	size_t count = dp_trace_loss_count(trace), used = 0;
	char text[700] = "", number[DP_LABEL_NUMBER_SIZE];

	if (count && dp_trace_lost_known(trace))
		used = (size_t)snprintf(text, sizeof(text),
					"%s %s lost: ",
					dp_label_count(number, sizeof(number), lost),
					lost == 1 ? "record" : "records");
	else if (count)
		used = (size_t)snprintf(text, sizeof(text), "incomplete: ");
	for (size_t i = 0; i < count && i < 3; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.150s",
					 i ? ", " : "", dp_trace_loss(trace, i)->reason);
	if (count > 3)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " and %zu more",
					 count - 3);
	if (clamped)
		snprintf(text + used, sizeof(text) - used, "%s%llu negative %s set to 0",
			 count ? "; " : "", clamped, clamped == 1 ? "duration" : "durations");
	if (text[0] && message_hidden())
		message_warning("%s: %s; %u more %s with -v", path, text, message_hidden(),
				message_hidden() == 1 ? "warning" : "warnings");
	else if (text[0])
		message_warning("%s: %s", path, text);
	else
		message_tell_hidden();
}

/* For a file that does not exist: suggests a similar name, or what to do first. */
static void suggest(const char *path, const char *verb)
{
	static const char *const more[] = { ".gz", ".sqlite", ".json", ".json.gz" };
	char other[4096];

	if (!strcmp(path, SOURCE_DEFAULT) && recover_suggest(path))
		return;
	if (!strcmp(path, SOURCE_DEFAULT) && !access(SOURCE_DEFAULT ".old", R_OK)) {
		message("the last recording does not exist; the one before it is " SOURCE_DEFAULT
			".old");
		return;
	}
	if (!strcmp(path, SOURCE_DEFAULT)) {
		message("specify a trace: deepprof %s FILE; or record one: deepprof record COMMAND",
			verb);
		return;
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		int n = snprintf(other, sizeof(other), "%s%s", path, more[i]);

		if (n > 0 && (size_t)n < sizeof(other) && !access(other, R_OK)) {
			message("did you mean %s?", other);
			return;
		}
	}
}

/* If unknown is not NULL, sets *unknown without a message for content that no importer knows. */
static struct dp_trace *open_file(const char *path, const char *name,
				  const struct source_options *options, bool *unknown)
{
	struct dp_open_options open = DP_OPEN_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	const char *shown = strcmp(name, "-") ? name : "standard input";
	struct dp_trace *trace = NULL;
	struct stat info;
	int status;

	open.label = name;
	open.temporary_folder = folder_for_temporary();
	open.input_format = options->input_format;
	open.allow_no_gpu = options->allow_no_gpu;
	open.log = message_log();
	open.progress = progress_bytes;
	message_subject(name);
	progress_begin(name, !options->quiet);
	status = dp_trace_open(&trace, path, &open, &error);
	progress_clear();
	if (status == DP_ERR_FORMAT && unknown) {
		*unknown = true;
		return NULL;
	}
	if (status) {
		message_error(&error);
		if (status == DP_ERR_IO && strcmp(path, "-") && access(path, F_OK))
			suggest(path, options->verb);
		else if (!stat(path, &info) && S_ISDIR(info.st_mode))
			message("'deepprof ranks' compares the traces of a job's ranks in a folder");
		return NULL;
	}
	warn_losses(trace, shown);
	return trace;
}

struct dp_trace *source_open(const char *path, const struct source_options *options)
{
	struct spawn_export export = SPAWN_EXPORT_INIT;
	bool unknown = false, named = !options->input_format && spawn_is_nsys_recording(path);
	struct dp_trace *trace;

	if (!*path) {
		message("'': %s", strerror(ENOENT));
		return NULL;
	}
	/* nsys's format is not published: its name counts only if no importer knows the content. */
	trace = open_file(path, path, options, named ? &unknown : NULL);
	if (!unknown)
		return trace;
	if (spawn_export_nsys(&export, path))
		trace = open_file(export.database, path, options, NULL);
	spawn_export_close(&export);
	return trace;
}
