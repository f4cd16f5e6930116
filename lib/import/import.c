/* dp_trace_open(): chooses an importer and runs it. */
#include "import/import.h"
#include "base/options.h"
#include "import/looks.h"
#include "import/unpack.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DP_ENTRY(word) extern const struct dp_importer dp_importer__##word;
#include "import/import_table.h"
#undef DP_ENTRY

static const struct dp_importer *const importers[] = {
#define DP_ENTRY(word) &dp_importer__##word,
#include "import/import_table.h"
#undef DP_ENTRY
	NULL
};

const struct dp_importer *dp_importer__at(size_t index)
{
	return index < DP_COUNT(importers) ? importers[index] : NULL;
}

const struct dp_format_info *dp_format(size_t index)
{
	const struct dp_importer *importer = dp_importer__at(index);

	return importer ? &importer->info : NULL;
}

bool dp_probe__contains(const struct dp_probe *probe, const char *text)
{
	size_t n = strlen(text), length = DP_MIN(probe->length, (size_t)16384);

	for (size_t i = 0; i + n <= length; i++)
		if (probe->head[i] == *text && !memcmp(probe->head + i, text, n))
			return true;
	return false;
}

void dp_import__progress(const struct dp_import *import, uint64_t done, uint64_t total)
{
	if (import->options->progress)
		import->options->progress(import->options->progress_ctx, done, total);
}

static const struct dp_importer *by_name(const char *name)
{
	for (size_t i = 0; importers[i]; i++)
		if (!strcmp(importers[i]->info.name, name))
			return importers[i];
	return NULL;
}

static const char *importer_name(size_t index, const void *ctx)
{
	return importers[index] ? importers[index]->info.name : NULL;
}

/* Finds the importer that is most certain (*most) of the content; *best is NULL if none is. */
static int by_content(const struct dp_importer **best, const struct dp_probe *probe, int *most)
{
	*best = NULL;
	*most = 0;

	for (size_t i = 0; importers[i]; i++) {
		int sure = importers[i]->probe(probe);

		if (sure < 0)
			return sure;
		if (sure > *most) {
			*most = sure;
			*best = importers[i];
		}
	}
	return DP_OK;
}

static bool is_zero(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Returns true if there are no control characters but white space. */
static bool is_text(const struct dp_probe *probe)
{
	for (size_t i = 0; i < probe->length; i++)
		if ((unsigned char)probe->head[i] < ' ' && !memchr("\t\n\f\r", probe->head[i], 4))
			return false;
	return true;
}

/* Returns the size that a SQLite header states (fileformat2, 1.3), 0 if it states none. */
static uint64_t database_size(const char *head)
{
	const unsigned char *at = (const unsigned char *)head;
	uint64_t page = (uint64_t)at[16] << 8 | at[17];
	uint64_t pages = (uint64_t)at[28] << 24 | at[29] << 16 | at[30] << 8 | at[31];

	return (page == 1 ? 65536 : page) * pages;
}

/* Returns true for an early session of the Visual Profiler: XML around data in a private format. */
static bool is_session(const struct dp_probe *probe)
{
	static const char first[] = "<?xml", second[] = "<session ";
	size_t i = 0;

	while (i < probe->length && probe->head[i] != '<')
		i++;
	if (probe->length - i < sizeof(first) || memcmp(probe->head + i, first, sizeof(first) - 1))
		return false;
	for (i++; i < probe->length && probe->head[i] != '<';)
		i++;
	return probe->length - i >= sizeof(second) &&
	       !memcmp(probe->head + i, second, sizeof(second) - 1);
}

/* Reports why no importer took the file, as far as its first bytes show. */
static int unknown(const struct dp_probe *probe, const struct dp_input *input,
		   struct dp_error *error)
{
	/* The size of a compressed file does not show that of its content. */
	bool gzip = dp_input__is_gzip(input);
	uint64_t size = gzip ? 0 : dp_input__size(input);

	if (!probe->length && dp_input__damage(input))
		return dp_error__set(error, DP_ERR_DAMAGED,
				     "compressed data ends before the first byte of its content");
	if (!probe->length)
		return dp_error__set(error, DP_ERR_FORMAT, "file is empty");
	if (probe->length >= 16 && is_zero(probe->head, 16))
		return dp_error__set(error, DP_ERR_DAMAGED,
				     "begins with zeros: an interrupted export leaves such a file; "
				     "export it again");
	if (dp_unpack__is_database(probe) && probe->length >= 32 && size &&
	    size < database_size(probe->head))
		return dp_error__set(error, DP_ERR_DAMAGED,
				     "a truncated SQLite database: it has %llu of %llu bytes",
				     (unsigned long long)size,
				     (unsigned long long)database_size(probe->head));
	if (dp_unpack__is_database(probe))
		return dp_error__set(error, DP_ERR_FORMAT,
				     "a SQLite database of no known profiler: it has no tables "
				     "of kernels");
	if (is_session(probe))
		return dp_error__set(
			error, DP_ERR_UNSUPPORTED,
			"a Visual Profiler session as XML, which only that program reads: record "
			"again with nvprof -o FILE or deepprof record");
	return dp_error__set(error, DP_ERR_FORMAT,
			     "%s, not a trace in a known format ('deepprof help analyze' lists "
			     "formats)",
			     is_text(probe) ? "text" : "binary data");
}

/* The certainty of an importer that found a mark of its format. */
#define PROBABLE 30

static int choose(const struct dp_importer **importer, const struct dp_probe *probe,
		  const struct dp_input *input, const struct dp_open_options *options,
		  struct dp_error *error)
{
	int sure, status;

	if (options->input_format) {
		*importer = by_name(options->input_format);
		if (!*importer)
			return dp_error__unknown(error, "input format", options->input_format,
						 importer_name, NULL);
		return DP_OK;
	}
	if (by_content(importer, probe, &sure))
		return dp_error__nomem(error, 0);
	/* Less certain importers take anything of their kind, such as JSON. */
	status = sure < PROBABLE ? dp_looks__refuse(probe, error) : DP_OK;
	if (status)
		return status;
	return *importer ? DP_OK : unknown(probe, input, error);
}

static int run(struct dp_trace **trace, const char *path, struct dp_input *input,
	       struct dp_unpacked *unpacked, const struct dp_open_options *options,
	       struct dp_error *error)
{
	struct dp_import import = {
		.path = path, .input = input, .options = options, .error = error
	};
	struct dp_probe probe = { .path = path };
	const struct dp_importer *importer;
	int status;

	probe.head = dp_input__head(input, &probe.length);
	if (dp_input__is_gzip(input) && dp_unpack__is_database(&probe)) {
		status = dp_unpack__open(unpacked, input, options->temporary_folder, error);
		if (status)
			return status;
		probe.path = import.path = unpacked->path;
	}
	status = choose(&importer, &probe, input, options, error);
	if (status)
		return status;
	if (importer->database && !strcmp(path, "-"))
		return dp_error__set(
			error, DP_ERR_UNSUPPORTED,
			"a database cannot be read from standard input: specify its file");
	status = dp_builder__new(&import.builder, error);
	if (status)
		return status;
	dp_builder__advise_recording(import.builder, importer->how_to_record);
	dp_builder__advise_kernels(import.builder, importer->how_to_get_kernels);
	status = importer->read(&import);
	if (!status && dp_input__damage(input))
		status = dp_builder__truncated(import.builder, dp_input__damage(input), 0,
					       dp_input__position(input));
	if (status) {
		dp_builder__free(import.builder);
		return status;
	}
	return dp_builder__finish(import.builder, trace, options->label, importer->info.name,
				  options->allow_no_gpu);
}

int dp_trace_open(struct dp_trace **trace, const char *path, const struct dp_open_options *options,
		  struct dp_error *error)
{
	struct dp_open_options all = DP_OPEN_OPTIONS_INIT;
	struct dp_error own = DP_ERROR_INIT;
	struct dp_unpacked unpacked = DP_UNPACKED_INIT;
	struct dp_input *input = NULL;
	int status;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	if (!all.label)
		all.label = path;
	if (!error)
		error = &own;
	status = dp_input__open(&input, path, error);
	if (!status)
		status = run(trace, path, input, &unpacked, &all, error);
	if (status) {
		dp_error__set(error, status, "%s", dp_status_name(status));
		dp_error__where(error, strcmp(all.label, "-") ? all.label : "standard input", NULL,
				0, 0);
	}
	dp_unpack__close(&unpacked);
	dp_input__close(input);
	return status;
}

static bool has_trace_ending(const char *name)
{
	static const char *const endings[] = {
		".json", ".json.gz", ".trace", ".sqlite", ".sqlite3",  ".sqlite.gz", ".db",
		".db.gz", ".csv",    ".csv.gz", ".nvvp",  ".nvprof", ".xplane.pb",  ".jsonl",
		".jsonl.gz", ".nsys-rep", ".qdrep", ".dpsum",
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < DP_COUNT(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && name[0] != '.' &&
		    !strcasecmp(name + length - ending, endings[i]))
			return true;
	}
	return false;
}

/* "node7-pid4711.log": the NCCL Inspector's logs. Other files in a folder are not traces. */
static bool is_inspector_name(const char *name)
{
	const char *pid = strstr(name, "-pid");
	size_t digits = pid ? strspn(pid + 4, "0123456789") : 0;

	return digits &&
	       (!strcmp(pid + 4 + digits, ".log") || !strcmp(pid + 4 + digits, ".log.gz"));
}

bool dp_trace_is_trace_name(const char *name)
{
	return has_trace_ending(name) || is_inspector_name(name);
}
