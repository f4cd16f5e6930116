/* From summaries to a result: which ranks there are, and what they did. */
#include "ranks/job.h"
#include "base/options.h"
#include "base/search.h"
#include "stats/stat.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of fewer ranks it cannot be decided which belongs to another job. */
enum { RANKS_TO_EXCLUDE = 3 };
/* Further files of a rank that are tried if the first is of another job: each costs a match. */
enum { DOUBLES_MOST = 8 };

static int leave_out(struct dp_ranks *ranks, const char *file, const char *format, ...)
	DP_PRINTF(3, 4);

/* Of several ranks of a file, in any order, a reason is listed once. */
static int leave_out(struct dp_ranks *ranks, const char *file, const char *format, ...)
{
	struct dp_strings *texts = &ranks->texts;
	char why[512], pair[32];
	uint32_t file_id, why_id;
	size_t known;
	va_list values;

	va_start(values, format);
	vsnprintf(why, sizeof(why), format, values);
	va_end(values);
	file_id = dp_strings__intern(texts, file, strlen(file));
	why_id = dp_strings__intern(texts, why, strlen(why));
	if (file_id == DP_NONE || why_id == DP_NONE)
		return DP_ERR_NOMEM;
	known = texts->count;
	/* the name of no file, which the texts have as well */
	snprintf(pair, sizeof(pair), "%u/%u/", (unsigned int)file_id, (unsigned int)why_id);
	if (dp_ranks__text(ranks, pair) && texts->count == known)
		return DP_OK; /* listed */
	if (texts->count == known ||
	    dp_array__reserve(&ranks->left_out, &ranks->left_out_room, ranks->left_out_count + 1,
			      sizeof(*ranks->left_out)))
		return DP_ERR_NOMEM;
	ranks->left_out[ranks->left_out_count++] =
		(struct dp_left_out){ dp_strings__get(texts, file_id),
				      dp_strings__get(texts, why_id) };
	return DP_OK;
}

/* A candidate for a rank of the job. */
struct entry {
	const struct dp_file_summary *file;
	struct dp_rank_summary *from;
	int64_t rank;
	enum dp_rank_from rank_from;
	size_t index; /* in its file */
};

static int compare_files(const void *a, const void *b)
{
	const struct entry *one = a, *two = b;
	int names = strcmp(one->file->source.name, two->file->source.name);

	if (names)
		return names;
	if (one->index != two->index)
		return one->index < two->index ? -1 : 1;
	/* equal names are sorted by their bytes */
	return one->file < two->file ? -1 : one->file > two->file;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct entry *one = a, *two = b;

	if (one->rank != two->rank)
		return one->rank < two->rank ? -1 : 1;
	if (one->rank_from != two->rank_from)
		return one->rank_from < two->rank_from ? -1 : 1;
	return compare_files(a, b);
}

/*
 * Entries are in order of file. A rank that neither trace nor name states gets the next free
 * number.
 */
static int number_entries(struct entry *entries, size_t count)
{
	/* below twice the count, enough numbers are free */
	bool *taken = dp_alloc__zeroed(2 * count + 1, sizeof(*taken));
	size_t next = 0;

	if (!taken)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		struct entry *entry = &entries[i];

		entry->rank = entry->from->rank;
		entry->rank_from = DP_RANK_FROM_TRACE;
		if (entry->rank < 0 && entry->file->count == 1) {
			entry->rank = dp_rank_name__read(entry->file->source.name);
			entry->rank_from = DP_RANK_FROM_NAME;
		}
		if (entry->rank >= 0 && (uint64_t)entry->rank < 2 * count)
			taken[entry->rank] = true;
	}
	for (size_t i = 0; i < count; i++) {
		if (entries[i].rank >= 0)
			continue;
		while (taken[next])
			next++;
		entries[i].rank = (int64_t)next++;
		entries[i].rank_from = DP_RANK_FROM_ORDER;
	}
	free(taken);
	return DP_OK;
}

/* One entry per rank, and entries whose rank another one has. */
struct candidates {
	struct entry *entries; /* in order of rank */
	size_t count;
	struct entry *doubles; /* the same; file is NULL once it has become an entry */
	size_t double_count;
};

static int candidates_init(struct candidates *candidates, struct entry *entries, size_t count)
{
	*candidates = (struct candidates){ .entries = entries };
	candidates->doubles = dp_alloc__array(count + 1, sizeof(*entries));
	if (!candidates->doubles)
		return DP_ERR_NOMEM;
	qsort(entries, count, sizeof(*entries), compare_ranks);
	for (size_t i = 0; i < count; i++) {
		if (candidates->count && entries[candidates->count - 1].rank == entries[i].rank)
			candidates->doubles[candidates->double_count++] = entries[i];
		else
			entries[candidates->count++] = entries[i];
	}
	return DP_OK;
}

/* Replaces an entry by the next file of its rank. Returns false if there is none. */
static bool take_double(struct candidates *candidates, struct entry *entry)
{
	struct entry *doubles = candidates->doubles;
	size_t at;

	DP_FIND(at, 0, candidates->double_count, doubles[at].rank >= entry->rank);
	for (int i = 0; i < DOUBLES_MOST && at < candidates->double_count; i++, at++) {
		if (doubles[at].rank != entry->rank)
			break;
		if (!doubles[at].file)
			continue;
		*entry = doubles[at];
		doubles[at].file = NULL;
		return true;
	}
	return false;
}

static int report_doubles(struct dp_ranks *ranks, const struct candidates *candidates)
{
	const struct entry *entries = candidates->entries;
	int status = DP_OK;

	for (size_t i = 0; i < candidates->double_count && !status; i++) {
		const struct entry *entry = &candidates->doubles[i];
		size_t at;

		if (!entry->file)
			continue;
		DP_FIND(at, 0, candidates->count, entries[at].rank >= entry->rank);
		if (at < candidates->count && entries[at].rank == entry->rank)
			status = leave_out(ranks, entry->file->source.name,
					   "rank %lld is in %.300s already", (long long)entry->rank,
					   entries[at].file->source.name);
		else
			status = leave_out(ranks, entry->file->source.name,
					   "rank %lld has too many files of other jobs",
					   (long long)entry->rank);
	}
	return status;
}

static int init_job(struct dp_job *job, const struct entry *entries, size_t count)
{
	*job = (struct dp_job){ .count = count };
	job->ranks = dp_alloc__zeroed(count + 1, sizeof(*job->ranks));
	job->clocks = dp_alloc__zeroed(count + 1, sizeof(*job->clocks));
	if (!job->ranks || !job->clocks)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < count; r++) {
		struct dp_job_rank *rank = &job->ranks[r];
		struct dp_rank_summary *from = entries[r].from;

		rank->from = from;
		rank->file = entries[r].file->source.name;
		rank->file_ranks = entries[r].file->count;
		rank->rank = entries[r].rank;
		rank->rank_from = entries[r].rank_from;
		job->untimed |= from->untimed;
		rank->groups = dp_alloc__zeroed(from->call_count + 1, sizeof(*rank->groups));
		rank->instances = dp_alloc__zeroed(from->call_count + 1, sizeof(*rank->instances));
		rank->job_iteration =
			dp_alloc__zeroed(from->step_count + 1, sizeof(*rank->job_iteration));
		rank->wait_ns = dp_alloc__zeroed(from->step_count + 1, sizeof(*rank->wait_ns));
		if (!rank->groups || !rank->instances || !rank->job_iteration || !rank->wait_ns)
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

void dp_job__fini(struct dp_job *job)
{
	for (size_t r = 0; job->ranks && r < job->count; r++) {
		free(job->ranks[r].groups);
		free(job->ranks[r].instances);
		free(job->ranks[r].job_iteration);
		free(job->ranks[r].wait_ns);
	}
	for (size_t g = 0; g < job->group_count; g++)
		free(job->groups[g].ranks);
	free(job->ranks);
	free(job->clocks);
	free(job->groups);
	free(job->instances);
	free(job->members);
	free(job->usual);
	dp_strings__fini(&job->names);
	*job = (struct dp_job){ 0 };
}

static size_t matched_calls(const struct dp_job_rank *rank)
{
	size_t count = 0;

	for (size_t i = 0; i < rank->from->call_count; i++)
		count += rank->instances[i] != DP_NONE;
	return count;
}

static int report_stranger(struct dp_ranks *ranks, const struct dp_job_rank *rank, const char *full)
{
	char who[48] = "";

	/* others of the file may be in the job */
	if (rank->file_ranks > 1)
		snprintf(who, sizeof(who), "rank %lld has ", (long long)rank->rank);
	if (full)
		return leave_out(ranks, rank->file,
				 "of another job, or a copy: process group %.200s has all of its "
				 "members without it",
				 full);
	if (rank->from->untimed && matched_calls(rank))
		return leave_out(ranks, rank->file,
				 "rank %lld has durations of collectives without their times, "
				 "unlike other ranks",
				 (long long)rank->rank);
	return rank->from->call_count
		       ? leave_out(ranks, rank->file,
				   "of another job: none of its collectives is on any other rank")
		       : leave_out(ranks, rank->file, "%sno collectives, which the others share",
				   who);
}

static const char *group_name(const struct dp_job *job, uint32_t group)
{
	return group == DP_NONE ? NULL : dp_strings__get(&job->names, job->groups[group].name);
}

/*
 * Drops ranks whose collectives no other rank has, while others agree, those that are too many for
 * their group, and those without times if others have times. If a rank has another file, that is
 * tried instead. *changed: the job is another one now.
 */
static int drop_strangers(struct dp_ranks *ranks, const struct dp_job *job,
			  struct candidates *candidates, bool *changed)
{
	uint32_t *surplus = dp_alloc__array(job->count + 1, sizeof(*surplus));
	struct entry *entries = candidates->entries;
	size_t matched = 0, timed = 0, kept = 0;
	int status = surplus ? dp_job__find_surplus(surplus, job) : DP_ERR_NOMEM;

	*changed = false;
	for (size_t r = 0; r < job->count; r++) {
		matched += matched_calls(&job->ranks[r]) > 0;
		timed += !job->ranks[r].from->untimed;
	}
	for (size_t r = 0; r < job->count && !status; r++) {
		bool stranger = (job->count >= RANKS_TO_EXCLUDE && matched >= 2 &&
				 !matched_calls(&job->ranks[r])) ||
				(timed && job->ranks[r].from->untimed) || surplus[r] != DP_NONE;

		if (stranger) {
			status = report_stranger(ranks, &job->ranks[r],
						 group_name(job, surplus[r]));
			*changed = true;
		}
		if (!stranger || take_double(candidates, &entries[r]))
			entries[kept++] = entries[r];
	}
	candidates->count = kept;
	free(surplus);
	return status;
}

static int make_job(struct dp_ranks *ranks, struct dp_job *job, struct candidates *candidates)
{
	bool changed = true;
	int status = DP_OK;

	while (changed && !status) {
		dp_job__fini(job);
		status = init_job(job, candidates->entries, candidates->count);
		if (!status)
			status = dp_job__match(job);
		if (!status)
			status = drop_strangers(ranks, job, candidates, &changed);
	}
	if (!status)
		status = report_doubles(ranks, candidates);
	return status ? status : dp_job__iterations(job);
}

/* Computes means per iteration; a rank's warm-up counts if it has nothing else. */
static void fill_means(struct dp_rank *out, const struct dp_ranks *ranks,
		       const struct dp_job_rank *rank, size_t r, double *room)
{
	size_t count = 0, warm = 0;

	for (size_t k = 0; k < rank->from->step_count; k++)
		warm += rank->from->steps[k].whole && !rank->from->steps[k].warmup &&
			isfinite(rank->from->steps[k].period_ns);
	out->own_ns = out->wait_ns = 0;
	for (size_t k = 0; k < rank->from->step_count; k++) {
		const struct dp_step_summary *step = &rank->from->steps[k];
		const struct dp_rank_iteration *cell =
			&ranks->cells[r * ranks->iterations + rank->job_iteration[k]];

		out->iterations += step->whole;
		if (!step->whole || (!isfinite(step->period_ns) && !rank->from->untimed) ||
		    (warm && step->warmup))
			continue;
		room[count++] = step->period_ns;
		out->own_ns += cell->own_ns;
		out->wait_ns += cell->wait_ns;
		for (int p = 0; p < DP_RANK_PARTS; p++)
			out->part_ns[p] += cell->part_ns[p];
	}
	out->period_ns = count && !rank->from->untimed ? dp_stat__median(room, count) : NAN;
	out->own_ns = count ? out->own_ns / (double)count : NAN;
	out->wait_ns = count ? out->wait_ns / (double)count : NAN;
	for (int p = 0; p < DP_RANK_PARTS; p++)
		out->part_ns[p] = count ? out->part_ns[p] / (double)count : NAN;
}

static void fill_clock(struct dp_rank *out, const struct dp_job *job, size_t r)
{
	const struct dp_rank_clock *clock = &job->clocks[r];
	const struct dp_rank_summary *from = job->ranks[r].from, *first = job->ranks[0].from;

	out->clock_known = clock->known && !clock->anchor && job->clocks[0].known;
	out->offset_ns = out->drift_ppm = out->resolution_ns = NAN;
	if (!out->clock_known)
		return;
	out->offset_ns = clock->offset_ns;
	if (from->is_epoch == first->is_epoch)
		out->offset_ns += (double)(from->t0_ns - first->t0_ns);
	out->drift_ppm = clock->drift * 1e6;
	out->resolution_ns = clock->resolution_ns;
}

static int fill_ranks(struct dp_ranks *ranks, const struct dp_job *job)
{
	int status = DP_OK;

	ranks->ranks = dp_alloc__zeroed(job->count + 1, sizeof(*ranks->ranks));
	if (!ranks->ranks)
		return DP_ERR_NOMEM;
	ranks->count = job->count;
	for (size_t r = 0; r < job->count && !status; r++) {
		const struct dp_job_rank *from = &job->ranks[r];
		struct dp_rank *out = &ranks->ranks[r];
		double *room = dp_alloc__array(from->from->step_count + 1, sizeof(*room));

		if (!room)
			return DP_ERR_NOMEM;
		out->rank = from->rank;
		out->rank_from = from->rank_from;
		out->device = from->from->device;
		out->file_ranks = from->file_ranks;
		out->host = dp_ranks__text(ranks, from->from->host);
		out->file = dp_ranks__text(ranks, from->file);
		out->collectives = from->from->call_count;
		out->matched = matched_calls(from);
		fill_means(out, ranks, from, r, room);
		fill_clock(out, job, r);
		free(room);
		status = out->host && out->file ? DP_OK : DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < job->instance_count; i++) {
		const struct dp_instance *at = &job->instances[i];

		for (uint32_t m = 0; m < at->count && dp_collective__synchronizes(at->kind); m++)
			ranks->ranks[job->members[at->first + m].rank].shared++;
		if (at->last != DP_NONE)
			ranks->ranks[at->last].last++;
	}
	return status;
}

/*
 * Returns true if nothing shows that files are of one job: they share no collectives, and the rank
 * of some is stated by neither the trace nor the name.
 */
static bool are_unrelated(const struct dp_job *job, size_t matched)
{
	bool several = false, counted = false;

	for (size_t r = 0; r < job->count; r++) {
		several |= strcmp(job->ranks[r].file, job->ranks[0].file) != 0;
		counted |= job->ranks[r].rank_from == DP_RANK_FROM_ORDER;
	}
	return several && counted && !matched;
}

static int fill_matching(struct dp_ranks *ranks, const struct dp_job *job)
{
	struct dp_ranks_matching *matching = &ranks->matching;
	double most = NAN;

	for (size_t r = 0; r < ranks->count; r++) {
		matching->collectives += ranks->ranks[r].collectives;
		matching->matched += ranks->ranks[r].matched;
		if (ranks->ranks[r].clock_known && r) {
			matching->clock_known = true;
			most = fmax(most, ranks->ranks[r].resolution_ns);
		}
	}
	for (size_t g = 0; g < job->group_count; g++)
		matching->groups += !job->groups[g].pair || job->groups[g].size == 2;
	for (size_t i = 0; i < job->instance_count; i++)
		matching->synchronizing += dp_collective__synchronizes(job->instances[i].kind);
	matching->resolution_ns = most;
	matching->unrelated = are_unrelated(job, matching->matched);
	return dp_job__count_absent(&matching->absent, job);
}

/*
 * A rank may lack iterations, but all have cells in the tables of ranks by iterations. Most of them
 * being empty, more than CELLS_MOST, is a job of one long and many short recordings, or an attack.
 */
enum { CELLS_MOST = 1 << 24, CELLS_PER_STEP = 16 };

static bool is_too_sparse(const struct dp_job *job)
{
	size_t cells = dp_size__mul(job->count, job->iterations), steps = 0;

	for (size_t r = 0; r < job->count; r++)
		steps += job->ranks[r].from->step_count;
	return cells > CELLS_MOST && cells / CELLS_PER_STEP > steps;
}

/* Drops ranks that were recorded at another time than most, before they take a number. */
static int drop_apart(struct dp_ranks *ranks, struct entry *entries, size_t *count)
{
	static const char *const whys[] = {
		[DP_APART_BEFORE] = "of another job: recorded over ten minutes before "
				    "most others",
		[DP_APART_AFTER] = "of another job: recorded over ten minutes after "
				   "most others",
		[DP_APART_CLOCK] = "of another job: its clock starts at another time than that of "
				   "most others",
	};
	const struct dp_rank_summary **all = dp_alloc__array(*count + 1, sizeof(*all));
	enum dp_apart *apart = dp_alloc__array(*count + 1, sizeof(*apart));
	int status = all && apart ? DP_OK : DP_ERR_NOMEM;
	size_t kept = 0;

	for (size_t i = 0; i < *count && !status; i++)
		all[i] = entries[i].from;
	if (!status)
		status = dp_ranks__find_apart(apart, all, *count);
	for (size_t i = 0; i < *count && !status; i++) {
		if (apart[i] == DP_APART_NOT)
			entries[kept++] = entries[i];
		else
			status = leave_out(ranks, entries[i].file->source.name, "%s",
					   whys[apart[i]]);
	}
	*count = kept;
	free(all);
	free(apart);
	return status;
}

static int fill(struct dp_ranks *ranks, struct entry *entries, size_t count)
{
	struct candidates candidates = { NULL, 0, NULL, 0 };
	struct dp_job job = { 0 };
	int status = drop_apart(ranks, entries, &count);

	if (!status)
		status = number_entries(entries, count);
	if (!status)
		status = candidates_init(&candidates, entries, count);
	if (!status)
		status = make_job(ranks, &job, &candidates);
	if (!status && is_too_sparse(&job))
		status = DP_ERR_LIMIT;
	if (!status)
		status = dp_ranks__timeline(ranks, &job);
	if (!status)
		status = fill_ranks(ranks, &job);
	if (!status)
		status = fill_matching(ranks, &job);
	if (!status)
		status = dp_ranks__collectives(ranks, &job);
	if (!status)
		status = dp_ranks__judge(ranks, &job);
	if (!status)
		status = dp_ranks__find_pauses(ranks);
	/* last, after the data for judging are freed */
	if (!status)
		status = dp_ranks__calls(ranks, &job);
	free(candidates.doubles);
	dp_job__fini(&job);
	return status;
}

/* The unpacked contents of all summaries. */
struct files {
	const struct dp_section **sections;
	struct dp_file_summary *files;
	size_t count;
	struct entry *entries;
	size_t ranks;
};

static int files_init(struct files *files, struct dp_summary *const *summaries, size_t count)
{
	size_t sections;
	int status;

	*files = (struct files){ NULL, NULL, 0, NULL, 0 };
	status = dp_summaries__list(&files->sections, &sections, summaries, count);
	if (status)
		return status;
	files->files = dp_alloc__array(sections + 1, sizeof(*files->files));
	if (!files->files)
		return DP_ERR_NOMEM;
	for (; files->count < sections && !status; files->count++) {
		struct dp_file_summary *file = &files->files[files->count];

		status = dp_summary__unpack(file, files->sections[files->count]->bytes,
					    files->sections[files->count]->size);
		files->ranks += file->count;
	}
	return status;
}

static void files_fini(struct files *files)
{
	for (size_t i = 0; i < files->count; i++)
		dp_file_summary__fini(&files->files[i]);
	free(files->files);
	free(files->sections);
	free(files->entries);
}

static int list_entries(struct files *files)
{
	size_t used = 0;

	files->entries = dp_alloc__array(files->ranks, sizeof(*files->entries));
	if (!files->entries)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < files->count; i++)
		for (size_t k = 0; k < files->files[i].count; k++)
			files->entries[used++] = (struct entry){ .file = &files->files[i],
								 .from = &files->files[i].ranks[k],
								 .index = k };
	qsort(files->entries, used, sizeof(*files->entries), compare_files);
	return DP_OK;
}

static int run(struct dp_ranks *ranks, struct files *files, const struct dp_ranks_options *options)
{
	int status = list_entries(files);

	for (size_t i = 0; i < options->left_out_count && !status; i++)
		status =
			leave_out(ranks, options->left_out[i].file, "%s", options->left_out[i].why);
	return status ? status : fill(ranks, files->entries, files->ranks);
}

int dp_ranks_run(struct dp_ranks **ranks, struct dp_summary *const *summaries, size_t count,
		 const struct dp_ranks_options *options, struct dp_error *error)
{
	struct dp_ranks_options all = DP_RANKS_OPTIONS_INIT;
	struct dp_ranks *made = dp_alloc__zeroed(1, sizeof(*made));
	struct files files;
	int status = files_init(&files, summaries, count);

	if (!status)
		status = dp_options__take(&all, sizeof(all), options, error);
	if (!status && !files.ranks)
		status = dp_error__set(error, DP_ERR_ARGUMENT, "no rank with GPU kernels");
	else if (!status)
		status = made ? run(made, &files, &all) : DP_ERR_NOMEM;
	files_fini(&files);
	if (status == DP_ERR_LIMIT)
		dp_error__set(error, status,
			      "the ranks have iterations of different times: more than %d million "
			      "pairs of a rank and an iteration, of which few are recorded",
			      CELLS_MOST / 1000000);
	if (status) {
		dp_ranks_free(made);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	*ranks = made;
	return DP_OK;
}
