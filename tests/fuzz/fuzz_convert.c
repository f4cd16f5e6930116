/* From a spool to the trace file, and what the importer makes of that. */
#include "mutate.h"
#include "record/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of fuzz.h, whose headers have another struct dp_fact than the recorder's. */
struct dp_importer;
extern const struct dp_importer dp_importer__deepprof_db;
void fuzz_path(const struct dp_importer *importer, const char *path);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "broken: %s\n", #condition), abort()))

static int convert(int spool, int pool, const char *path, struct dp_error *error)
{
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_convert convert = { .first_ns = INT64_MAX, .about = &about };
	bool unusable = false;
	int status = dp_convert__open(&convert, path, error);

	if (!status)
		status = dp_convert__spool(&convert, spool, pool, 0, &unusable);
	if (!status)
		status = dp_convert__finish(&convert);
	dp_convert__fini(&convert);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct dp_error error = DP_ERROR_INIT;
	int spool, pool, status;

	fuzz_spool_files(data, size, &spool, &pool);
	snprintf(path, sizeof(path), "/dev/shm/deepprof-fuzz-%d.db", (int)getpid());
	status = convert(spool, pool, path, &error);
	HOLDS(!status || error.message[0]);
	if (!status)
		fuzz_path(&dp_importer__deepprof_db, path);
	unlink(path);
	if (pool >= 0)
		close(pool);
	close(spool);
	return 0;
}
