#include "run.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cupti/cupti_abi.h"
#include "spool/translate.h"

struct pool {
	int fd;
	char name[64];
};

struct launcher {
	int socket;
	int connections[RUN_POOLS];
	size_t connection_count;
	struct pool pools[RUN_POOLS];
	size_t pool_count;
	int output;
	struct fake_truth *truth;
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool needs_mount(const struct run_options *options)
{
	return options->disk_bytes || options->read_only;
}

static void make_folder(struct run *run, const struct run_options *options)
{
	char size[64];

	snprintf(run->dir, sizeof(run->dir), "/tmp/deepprof-test.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(run->dir));
	if (!needs_mount(options))
		return;
	snprintf(size, sizeof(size), "size=%llu",
		 (unsigned long long)(options->read_only ? 1 << 20 : options->disk_bytes));
	ck_assert_int_eq(mount("none", run->dir, "tmpfs", options->read_only ? MS_RDONLY : 0, size),
			 0);
}

static void listen_there(struct launcher *launcher, const struct run *run)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	launcher->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.90s/socket", run->dir);
	ck_assert_int_eq(bind(launcher->socket, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(launcher->socket, 128), 0);
}

static void put_env(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void limit(int resource, uint64_t most)
{
	struct rlimit limit = { most, most };

	if (most)
		setrlimit((__rlimit_resource_t)resource, &limit);
}

static void put_trouble(const struct run_options *options, const char *count)
{
	const char *guard = getenv("FAKE_NO_PRELOAD") ? "" : EXIT_GUARD;
	char number[32], preload[8192];

	if (options->trouble_call || options->trouble_name || options->trouble_step ||
	    options->trouble_age || options->trouble_fast || options->trouble_late) {
		snprintf(preload, sizeof(preload), "%s%s%s", TROUBLE, *guard ? ":" : "", guard);
		put_env("LD_PRELOAD", preload);
	} else if (*guard) {
		put_env("LD_PRELOAD", guard);
	}
	snprintf(number, sizeof(number), "%u", options->trouble_call);
	put_env("TROUBLE_CALL", options->trouble_call ? number : NULL);
	put_env("TROUBLE_ON", options->trouble_on ? "1" : NULL);
	put_env("TROUBLE_NAME", options->trouble_name);
	put_env("TROUBLE_STEP", options->trouble_step);
	put_env("TROUBLE_AGE", options->trouble_age);
	put_env("TROUBLE_FAST", options->trouble_fast);
	put_env("TROUBLE_LATE", options->trouble_late);
	put_env("TROUBLE_COUNT", count);
}

static void put_folder_id(const char *folder)
{
	char id[64];
	struct stat info;

	if (stat(folder, &info))
		_exit(127);
	snprintf(id, sizeof(id), DP_SPOOL_ID, (uintmax_t)info.st_dev, (uintmax_t)info.st_ino);
	put_env(DP_SPOOL_ENV_ID, id);
}

static _Noreturn void be_program(const struct run *run, const struct run_options *options,
				 const char *const *words, const char *truth, const char *count,
				 int output)
{
	const char *argv[64] = { FAKE_APP };

	for (int i = 0; i < 62 && words[i]; i++)
		argv[i + 1] = words[i];
	dup2(output, 1);
	dup2(output, 2);
	/* Descriptors that the tests inherited take none of the program's. */
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	put_env("DEEPPROF_SPOOL", run->dir);
	put_folder_id(run->dir);
	put_env("DEEPPROF_OPTIONS", options->options);
	put_env("DEEPPROF_CUPTI", options->cupti ? options->cupti : FAKE_CUPTI);
	put_env("CUDA_INJECTION64_PATH", COLLECTOR);
	put_env("NVTX_INJECTION64_PATH", COLLECTOR);
	put_trouble(options, count);
	put_env("FAKE_CUPTI_VERSION", options->version);
	put_env("FAKE_CUDA_VERSION", options->driver);
	put_env("FAKE_CUPTI_FAIL", options->fail);
	put_env("FAKE_CUPTI_HOLDER", options->holder);
	put_env("FAKE_CUPTI_LEAVES", options->leaves ? "1" : NULL);
	put_env("FAKE_CUPTI_HANG", options->hang ? "1" : NULL);
	put_env("FAKE_CUPTI_LATE", options->late ? "1" : NULL);
	for (int i = 0; i < 4 && options->switches[i]; i++)
		if (putenv((char *)(uintptr_t)options->switches[i]))
			_exit(126);
	put_env("FAKE_CUPTI_TRUTH", truth);
	/*
	 * LeakSanitizer's search stops all threads, which neither the collector's nor children of
	 * fork() support.
	 */
	put_env("ASAN_OPTIONS", "detect_leaks=0");
	put_env("TSAN_OPTIONS", "die_after_fork=0");
	limit(RLIMIT_FSIZE, options->file_limit);
	limit(RLIMIT_NOFILE, options->descriptors);
	limit(RLIMIT_AS, options->address_space);
	execv(FAKE_APP, (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Reads one message of a program; false at the end. */
static bool receive(struct launcher *launcher, struct run *run, int fd)
{
	struct dp_message message;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { &message, sizeof(message) };
	struct msghdr packet = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &packet, MSG_CMSG_CLOEXEC);
	size_t used = strlen(run->messages);

	if (n <= 0)
		return false;
	ck_assert_uint_eq(message.magic, DP_MESSAGE_MAGIC);
	if (message.type == DP_HELLO && CMSG_FIRSTHDR(&packet)) {
		struct pool *pool = &launcher->pools[launcher->pool_count++];

		memcpy(&pool->fd, CMSG_DATA(CMSG_FIRSTHDR(&packet)), sizeof(int));
		snprintf(pool->name, sizeof(pool->name), "%.*s", (int)message.text_bytes,
			 message.text);
	} else if (message.type == DP_TEXT) {
		snprintf(run->messages + used, sizeof(run->messages) - used, "[%.*s] %.*s\n",
			 (int)message.code_bytes, message.text, (int)message.text_bytes,
			 message.text + message.code_bytes);
	}
	return true;
}

static void serve(struct launcher *launcher, struct run *run)
{
	struct pollfd list[RUN_POOLS + 1] = { { launcher->socket, POLLIN, 0 } };

	for (size_t i = 0; i < launcher->connection_count; i++)
		list[i + 1] = (struct pollfd){ launcher->connections[i], POLLIN, 0 };
	poll(list, launcher->connection_count + 1, 2);
	for (size_t i = 0; i < launcher->connection_count; i++) {
		if (!list[i + 1].revents)
			continue;
		if (!receive(launcher, run, launcher->connections[i])) {
			close(launcher->connections[i]);
			launcher->connections[i] = -1;
		}
	}
	if (list[0].revents & POLLIN && launcher->connection_count < RUN_POOLS)
		launcher->connections[launcher->connection_count++] =
			accept4(launcher->socket, NULL, NULL, SOCK_CLOEXEC);
}

static bool open_connections(const struct launcher *launcher)
{
	for (size_t i = 0; i < launcher->connection_count; i++)
		if (launcher->connections[i] >= 0)
			return true;
	return false;
}

/* If the program waits for the launcher. */
static void steer(struct launcher *launcher, const struct run_options *options)
{
	uint64_t waits = atomic_load(&launcher->truth->waits);
	bool pauses = options->at_go == RUN_PAUSES;
	struct dp_pool_status status;

	if (waits == atomic_load(&launcher->truth->goes_on))
		return;
	for (size_t p = 0; options->at_go && p < launcher->pool_count; p++) {
		ck_assert(dp_pool__control(launcher->pools[p].fd,
					   pauses ? DP_POOL_PAUSE : DP_POOL_RUN));
		ck_assert(dp_pool__status(launcher->pools[p].fd, &status));
		if (status.state != (pauses ? DP_POOL_PAUSED : DP_POOL_RUNNING))
			return;
	}
	atomic_store(&launcher->truth->goes_on, waits);
}

static void attend(struct launcher *launcher, struct run *run, const struct run_options *options,
		   pid_t pid)
{
	double start = seconds_now();
	bool dead = false;

	while (!dead || open_connections(launcher) || launcher->pool_count < options->pools) {
		serve(launcher, run);
		steer(launcher, options);
		if (options->kill_after_us && launcher->pool_count && !dead &&
		    (seconds_now() - start) * 1e6 >= options->kill_after_us &&
		    atomic_load(&launcher->truth->records[CUPTI_KERNEL]) >=
			    options->kill_after_kernels)
			kill(pid, SIGKILL);
		if (!dead && waitpid(pid, &run->status, WNOHANG) == pid) {
			dead = true;
			run->seconds = seconds_now() - start;
		}
		ck_assert_msg(seconds_now() - start < 120, "the program hangs");
	}
	for (int i = 0; i < 4; i++)
		serve(launcher, run);
}

static unsigned int reason_of(const char *word)
{
	for (unsigned int i = 0; i < DP_LOSS_REASONS; i++)
		if (!strcmp(word, dp_pool__loss_word(i)))
			return i;
	ck_abort_msg("no such reason: %s", word);
}

static bool comes_from_program(const struct dp_spool_record *record)
{
	return dp_spool__kind(record) || record->type == DP_SPOOL_RAW;
}

static void take(struct run *run, struct dp_spool *spool, const struct dp_spool_record *record,
		 uint64_t sums[3][DP_SPOOL_KINDS])
{
	run->records[record->type]++;
	if (record->type == DP_SPOOL_KERNEL) {
		run->salvaged_kernels += record->salvaged;
		run->untimed_kernels += !record->kernel.end;
	}
	if (comes_from_program(record))
		run->seen[dp_spool__kind(record)]++;
	if (record->type == DP_SPOOL_COUNT) {
		sums[0][record->count.kind] = record->count.completed;
		sums[1][record->count.kind] = record->count.stored;
		sums[2][record->count.kind] = record->count.lost;
	} else if (record->type == DP_SPOOL_LOSS) {
		run->lost_by[reason_of(dp_spool__string(spool, record->loss.reason, NULL))] +=
			record->loss.records;
	}
	if (run->each)
		run->each(run, spool, record);
}

static void read_spool(struct launcher *launcher, struct run *run, const char *name)
{
	uint64_t sums[3][DP_SPOOL_KINDS] = { { 0 } };
	struct dp_spool_record record;
	struct dp_spool_health health;
	struct dp_spool *spool = NULL;
	char path[512];
	struct stat info;
	int fd, status, pool = -1, opened = -1;

	snprintf(path, sizeof(path), "%s/%s", run->dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	fstat(fd, &info);
	run->spool_bytes += (uint64_t)info.st_size;
	status = dp_spool__open(&spool, fd);
	if (status == DP_SPOOL_NOT_SPOOL && (size_t)info.st_size < sizeof(struct dp_spool_header)) {
		close(fd);
		return;
	}
	ck_assert_int_eq(status, DP_SPOOL_OK);
	run->spools++;
	while (!(status = dp_spool__next(spool, &record)))
		take(run, spool, &record, sums);
	ck_assert_int_eq(status, DP_SPOOL_END);
	for (size_t i = 0; i < launcher->pool_count; i++)
		if (!strcmp(launcher->pools[i].name, name))
			pool = launcher->pools[i].fd;
	dp_spool__health(spool, &health);
	run->ended_spools += health.ended;
	if (pool < 0) {
		snprintf(path, sizeof(path), "%s/%.*s.pool", run->dir,
			 (int)(strlen(name) - strlen(".spool")), name);
		pool = opened = open(path, O_RDONLY | O_CLOEXEC);
	}
	/* Only a failed system call keeps a pool from being handed over. */
	ck_assert(pool >= 0 || run->trouble_calls);
	if (pool >= 0)
		ck_assert_int_eq(dp_spool__salvage(spool, pool), DP_SPOOL_OK);
	run->salvaged_spools += pool >= 0 && !health.ended;
	while (pool >= 0 && !(status = dp_spool__next(spool, &record)))
		take(run, spool, &record, sums);
	ck_assert_int_eq(status, DP_SPOOL_END);
	dp_spool__health(spool, &health);
	run->undefined += health.undefined;
	ck_assert_uint_eq(health.damaged_bytes, 0);
	for (int i = 0; i < DP_SPOOL_KINDS; i++) {
		run->completed[i] += sums[0][i];
		run->stored[i] += sums[1][i];
		run->lost[i] += sums[2][i];
	}
	dp_spool__close(spool);
	close(fd);
	if (opened >= 0)
		close(opened);
}

static void look_at_pools(const struct launcher *launcher, struct run *run)
{
	struct dp_pool_status status;

	for (size_t i = 0; i < launcher->pool_count; i++)
		if (dp_pool__status(launcher->pools[i].fd, &status) && status.first_launch_ns)
			run->first_launch_ns = status.first_launch_ns;
}

static void read_all(struct launcher *launcher, struct run *run)
{
	struct dirent **entries;
	int n = scandir(run->dir, &entries, NULL, alphasort);
	char path[512];

	ck_assert_int_ge(n, 0);
	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(entries[i]->d_name, '.');

		if (dot && !strcmp(dot, ".spool"))
			read_spool(launcher, run, entries[i]->d_name);
	}
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.250s", run->dir, entries[i]->d_name);
		unlink(path);
		free(entries[i]);
	}
	free(entries);
}

/* Completed is stored and lost, and what was stored can be read, of each kind. */
static void check_sums(const struct run *run)
{
	for (uint32_t i = 0; i < DP_SPOOL_KINDS; i++) {
		ck_assert_msg(run->completed[i] == run->stored[i] + run->lost[i],
			      "kind %u: completed %llu, stored %llu, lost %llu; call %u failed", i,
			      (unsigned long long)run->completed[i],
			      (unsigned long long)run->stored[i], (unsigned long long)run->lost[i],
			      run->trouble_call);
		ck_assert_msg(run->stored[i] == run->seen[i],
			      "kind %u: stored %llu, read %llu; call %u failed\n%s", i,
			      (unsigned long long)run->stored[i], (unsigned long long)run->seen[i],
			      run->trouble_call, run->messages);
	}
}

bool run_app(struct run *run, const struct run_options *options, const char *const *words)
{
	static const struct run_options usual;
	struct launcher launcher = { .socket = -1 };
	char truth[] = "/tmp/deepprof-truth.XXXXXX";
	char count[] = "/tmp/deepprof-count.XXXXXX";
	FILE *output = tmpfile();
	int fd = mkstemp(truth), count_fd = mkstemp(count);
	pid_t pid;

	options = options ? options : &usual;
	*run = (struct run){ .each = run->each,
			     .user = run->user,
			     .trouble_call = options->trouble_call };
	if (needs_mount(options) && geteuid())
		return false;
	ck_assert_ptr_nonnull(output);
	ck_assert_int_eq(ftruncate(fd, sizeof(struct fake_truth)), 0);
	ck_assert_int_eq(ftruncate(count_fd, 4096), 0);
	launcher.truth =
		mmap(NULL, sizeof(struct fake_truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	make_folder(run, options);
	if (!options->no_socket && !options->read_only)
		listen_there(&launcher, run);
	pid = fork();
	if (!pid)
		be_program(run, options, words, truth, count, fileno(output));
	attend(&launcher, run, options, pid);
	memcpy(&run->truth, launcher.truth, sizeof(run->truth));
	if (pread(count_fd, &run->trouble_calls, sizeof(run->trouble_calls), 0) < 0)
		ck_abort_msg("no count");
	rewind(output);
	run->output[fread(run->output, 1, sizeof(run->output) - 1, output)] = 0;
	fclose(output);
	run->pools = launcher.pool_count;
	look_at_pools(&launcher, run);
	read_all(&launcher, run);
	for (size_t i = 0; i < launcher.pool_count; i++)
		close(launcher.pools[i].fd);
	close(launcher.socket);
	close(fd);
	munmap(launcher.truth, sizeof(struct fake_truth));
	unlink(truth);
	close(count_fd);
	unlink(count);
	if (needs_mount(options))
		umount(run->dir);
	ck_assert_msg(!rmdir(run->dir), "%s: %s", run->dir, strerror(errno));
	check_sums(run);
	return true;
}

const uint32_t run_kinds[RUN_KINDS] = {
	1, 2, 4, 5, 8, 9, 10, 11, 17, 22, 37, 38, 39, 49, 50, 51, 52
};

void run_check_complete(const struct run *run)
{
	for (size_t i = 0; i < RUN_KINDS; i++) {
		uint32_t kind = run_kinds[i];

		/* The collector describes devices, too. */
		if (kind == 8 && run->stored[kind] > run->truth.records[kind])
			continue;
		ck_assert_msg(run->stored[kind] == run->truth.records[kind],
			      "kind %u: %llu recorded, %llu stored, %llu lost\n%s", kind,
			      (unsigned long long)run->truth.records[kind],
			      (unsigned long long)run->stored[kind],
			      (unsigned long long)run->lost[kind], run->messages);
	}
	ck_assert_uint_eq(run->undefined, 0);
}

void run_check_exit(const struct run *run, int status)
{
	ck_assert_msg(WIFEXITED(run->status) && WEXITSTATUS(run->status) == status,
		      "status %x\n%s\n%s", (unsigned int)run->status, run->output, run->messages);
	ck_assert_str_eq(run->output, "");
}

uint64_t run_unaccounted(const struct run *run, uint32_t kind)
{
	return run->truth.records[kind] - run->completed[kind];
}

void run_check_launches(const struct run *run, uint64_t threads)
{
	uint64_t recorded = run->truth.records[CUPTI_KERNEL] + run->truth.records[CUPTI_RUNTIME];
	uint64_t known = run->completed[CUPTI_KERNEL] + run->completed[CUPTI_RUNTIME];

	ck_assert_uint_ge(known + run->completed[0], recorded);
	ck_assert_uint_le(known + run->completed[0], recorded + threads);
	/* By kind, except buffers that nobody could look at. */
	ck_assert_uint_le(run->completed[CUPTI_KERNEL], run->truth.records[CUPTI_KERNEL]);
	ck_assert_uint_le(run->completed[CUPTI_RUNTIME], run->truth.records[CUPTI_RUNTIME]);
}
