/* Shards, from the command line or from the variables of launchers. */
#include "reduce_shard.h"
#include "message.h"
#include "opt.h"

#include <stdlib.h>
#include <string.h>

/*
 * Ranks and sizes by launcher. MPI's come first: under Slurm, processes of mpirun have the
 * variables of the step that started mpirun's servers.
 */
static const struct launcher {
	const char *rank, *size;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },
	{ "PMI_RANK", "PMI_SIZE" },
	{ "PMIX_RANK", "PMIX_SIZE" },
	/* torchrun's, which Slurm starts as one task per node. */
	{ "RANK", "WORLD_SIZE" },
};

bool reduce_shard_parse(struct reduce_shard *shard, const char *text)
{
	const char *slash = strchr(text, '/');
	struct opt_why why;
	char first[24];
	uint64_t number;

	if (!slash || (size_t)(slash - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(slash - text));
	first[slash - text] = '\0';
	if (!opt_count(first, 1, &number, &why) || !opt_count(slash + 1, 1, &shard->count, &why) ||
	    number > shard->count)
		return false;
	shard->index = number - 1;
	shard->variable = NULL;
	return true;
}

static bool read_number(const char *name, uint64_t least, uint64_t *value)
{
	const char *text = getenv(name);
	struct opt_why why;

	return text && opt_count(text, least, value, &why);
}

static bool refuse(const char *what, const char *value)
{
	message("--shard=auto: %s%s; use --shard=K/N, such as 1/8", what, value);
	return false;
}

/* Detects a launcher that sets rank and size; *found is false if there is none. */
static bool detect_mpi(struct reduce_shard *shard, bool *found)
{
	*found = false;
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const struct launcher *launcher = &launchers[i];

		/* PMIx does not set the size. */
		if (!getenv(launcher->rank) || !getenv(launcher->size))
			continue;
		if (!read_number(launcher->rank, 0, &shard->index) ||
		    !read_number(launcher->size, 1, &shard->count) || shard->index >= shard->count)
			return refuse("no rank below a size in ", launcher->rank);
		shard->variable = launcher->rank;
		*found = true;
		return true;
	}
	return true;
}

/* Detects a task of a step; a batch script has the variables too, but is a single process. */
static bool detect_slurm_task(struct reduce_shard *shard, bool *found)
{
	const char *size = getenv("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";

	*found = getenv("SLURM_PROCID") && getenv(size) &&
		 (getenv("SLURM_STEP_ID") || !getenv("SLURM_JOB_ID"));
	if (!*found)
		return true;
	if (!read_number("SLURM_PROCID", 0, &shard->index) ||
	    !read_number(size, 1, &shard->count) || shard->index >= shard->count)
		return refuse("no task below the number of tasks in ", "SLURM_PROCID");
	shard->variable = "SLURM_PROCID";
	return true;
}

/* Detects a task of an array, which may itself have steps of several tasks. */
static bool detect_slurm_array(struct reduce_shard *shard)
{
	uint64_t id, count, least, most, step = 1;

	if (!getenv("SLURM_ARRAY_TASK_ID"))
		return true;
	if (!read_number("SLURM_ARRAY_TASK_ID", 0, &id) ||
	    !read_number("SLURM_ARRAY_TASK_COUNT", 1, &count) ||
	    !read_number("SLURM_ARRAY_TASK_MIN", 0, &least) ||
	    !read_number("SLURM_ARRAY_TASK_MAX", least, &most) ||
	    (getenv("SLURM_ARRAY_TASK_STEP") && !read_number("SLURM_ARRAY_TASK_STEP", 1, &step)))
		return refuse("no numbers in SLURM_ARRAY_TASK_ID, _COUNT, _MIN and ", "_MAX");
	/* A list such as 1,5,6 has gaps of different sizes. */
	if (count > 1 && (most - least) % (count - 1) == 0)
		step = (most - least) / (count - 1);
	if (id < least || id > most || step == 0 || (id - least) % step != 0 ||
	    (most - least) / step + 1 != count)
		return refuse("the array's indices are not evenly spaced", "");
	shard->index += (id - least) / step * shard->count;
	shard->count *= count;
	shard->variable = "SLURM_ARRAY_TASK_ID";
	return true;
}

bool reduce_shard_detect(struct reduce_shard *shard)
{
	bool found;

	*shard = (struct reduce_shard)REDUCE_SHARD_ALL;
	if (!detect_mpi(shard, &found))
		return false;
	if (!found && !detect_slurm_task(shard, &found))
		return false;
	if (!detect_slurm_array(shard))
		return false;
	if (shard->variable || !getenv("JOB_COMPLETION_INDEX"))
		return true;
	if (!read_number("JOB_COMPLETION_INDEX", 0, &shard->index))
		return refuse("no number in ", "JOB_COMPLETION_INDEX");
	shard->variable = "JOB_COMPLETION_INDEX";
	shard->count = 0;
	return true;
}

/*
 * Returns where one of an unknown number of processes begins: multiples of the golden ratio are far
 * apart, however many there are (Knuth, "The Art of Computer Programming", volume 3, 6.4).
 */
static size_t own_start(uint64_t index, size_t count)
{
	uint64_t part = index * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)((double)(part >> 11) / 9007199254740992.0 * (double)count);
}

static bool rotate(struct ranks_files *files, size_t start)
{
	char **paths = malloc((files->count + 1) * sizeof(*paths));

	if (!paths)
		return false;
	for (size_t i = 0; i < files->count; i++)
		paths[i] = files->paths[(start + i) % files->count];
	free(files->paths);
	files->paths = paths;
	files->room = files->count + 1;
	return true;
}

void reduce_shard_keep(const struct reduce_shard *shard, struct ranks_files *files)
{
	size_t kept = 0;

	if (!shard->count) {
		/* If memory runs out, all begin at the same place, and do more work. */
		if (files->count)
			rotate(files, own_start(shard->index, files->count));
		return;
	}
	for (size_t i = 0; i < files->count; i++) {
		if (i % shard->count == shard->index)
			files->paths[kept++] = files->paths[i];
		else
			free(files->paths[i]);
	}
	files->count = kept;
}
