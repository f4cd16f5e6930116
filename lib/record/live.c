/*
 * The live part: processes connect to a socket in the folder and pass their pools, so that what
 * they have not stored yet survives them. A process may send anything, so everything is checked.
 */
#define _GNU_SOURCE /* accept4(), struct ucred */
#include "base/options.h"
#include "record/recording.h"
#include "spool/gpu_metrics.h"
#include "spool/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, TEXTS_MAX = 256, ROUNDS_MAX = 100 };

/* Packets taken from one process before it is the turn of others. */
enum { PACKETS_MAX = 64 };

static int watch(struct dp_recording *recording, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(recording->poll, EPOLL_CTL_ADD, fd, &event);
}

/* Binds by way of a descriptor of the folder, whose name may be too long for an address. */
static int bind_in(int folder_fd, int fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", folder_fd,
		 DP_SPOOL_SOCKET);
	return bind(fd, (const struct sockaddr *)&address, sizeof(address));
}

int dp_live__open(struct dp_recording *recording, struct dp_error *error)
{
	recording->poll = epoll_create1(EPOLL_CLOEXEC);
	if (recording->poll < 0)
		goto failed;
	recording->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (recording->listener < 0 || bind_in(recording->folder_fd, recording->listener))
		goto failed;
	recording->bound = true;
	if (!listen(recording->listener, BACKLOG) && !watch(recording, recording->listener))
		return DP_OK;
failed:
	dp_error__system(error, NULL);
	dp_error__where(error, recording->folder, NULL, 0, 0);
	return DP_ERR_IO;
}

void dp_live__close(struct dp_recording *recording)
{
	for (size_t i = 0; i < recording->member_count; i++) {
		struct dp_member *member = &recording->members[i];

		if (member->socket >= 0)
			close(member->socket);
		if (member->pool >= 0)
			close(member->pool);
		free(member->name);
	}
	for (size_t i = 0; i < recording->guest_count; i++)
		close(recording->guests[i]);
	for (size_t i = 0; i < recording->text_count; i++)
		free(recording->texts[i]);
	free(recording->members);
	free(recording->guests);
	free(recording->texts);
	if (recording->listener >= 0)
		close(recording->listener);
	/* The socket of another recording, which owns the folder, must stay. */
	if (recording->bound)
		unlinkat(recording->folder_fd, DP_SPOOL_SOCKET, 0);
	if (recording->poll >= 0)
		close(recording->poll);
}

/* Returns true for the name of a spool in the folder itself. */
static bool valid_name(const char *name)
{
	size_t length = strlen(name);

	return length > 6 && length < 256 && !strchr(name, '/') && name[0] != '.' &&
	       !strcmp(name + length - 6, ".spool");
}

static bool is_known(const struct dp_recording *recording, const char *name)
{
	for (size_t i = 0; i < recording->member_count; i++)
		if (!strcmp(recording->members[i].name, name))
			return true;
	return false;
}

/* Takes ownership of pool and socket if it returns DP_OK. */
static int add_member(struct dp_recording *recording, const char *name, int pool, int socket)
{
	struct dp_member *member;
	struct stat info;
	char *copy;

	if (!valid_name(name) || is_known(recording, name))
		return DP_ERR_ARGUMENT;
	if (fstatat(recording->folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(info.st_mode))
		return DP_ERR_IO;
	if (dp_array__reserve(&recording->members, &recording->member_room,
			      recording->member_count + 1, sizeof(*member)))
		return DP_ERR_NOMEM;
	copy = strdup(name);
	if (!copy)
		return DP_ERR_NOMEM;
	member = &recording->members[recording->member_count++];
	*member = (struct dp_member){ .name = copy, .pool = pool, .socket = socket };
	return DP_OK;
}

int64_t dp_live__cut(const struct dp_recording *recording, const struct dp_member *member)
{
	return member->watched ? dp_watch__state(recording->watch, member->watch).cut_ns : 0;
}

static void tell_control(struct dp_recording *recording)
{
	for (size_t i = 0; i < recording->member_count; i++) {
		struct dp_member *member = &recording->members[i];

		if (!member->announced && member->pool >= 0)
			dp_pool__control(member->pool,
					 member->enough ? DP_POOL_STOP : recording->control);
		member->announced = true;
	}
}

void dp_recording_control(struct dp_recording *recording, enum dp_record_control control)
{
	static const uint32_t words[] = { [DP_RECORD_RUN] = DP_POOL_RUN,
					  [DP_RECORD_PAUSE] = DP_POOL_PAUSE,
					  [DP_RECORD_STOP] = DP_POOL_STOP };

	recording->control = words[control];
	for (size_t i = 0; i < recording->member_count; i++)
		recording->members[i].announced = false;
	tell_control(recording);
	if (control == DP_RECORD_STOP) {
		dp_nvml__stop(recording->nvml);
		dp_host__stop(recording->host);
		dp_gpu_sampler__stop(recording->gpu_sampler);
	}
}

/* Reports each text once: a thousand ranks would all report the same. */
static int tell(struct dp_recording *recording, uint32_t level, const char *text)
{
	const struct dp_log *log = &recording->options.log;
	char *copy;

	for (size_t i = 0; i < recording->text_count; i++)
		if (!strcmp(recording->texts[i], text))
			return DP_OK;
	if (recording->text_count == TEXTS_MAX)
		return DP_OK;
	if (dp_array__reserve(&recording->texts, &recording->text_room, recording->text_count + 1,
			      sizeof(*recording->texts)))
		return DP_ERR_NOMEM;
	copy = strdup(text);
	if (!copy)
		return DP_ERR_NOMEM;
	recording->texts[recording->text_count++] = copy;
	dp_log__write(log, level >= DP_SPOOL_WARNING ? DP_LOG_WARNING : DP_LOG_INFO, "%s", text);
	return DP_OK;
}

/* Receives a message and its descriptor or -1. Returns bytes, 0 at the end, -1: none now. */
static ssize_t receive(int fd, struct dp_message *message, int *passed)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(4 * sizeof(int))];
	} control;
	struct iovec part = { message, sizeof(*message) };
	struct msghdr head = { .msg_iov = &part,
			       .msg_iovlen = 1,
			       .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	ssize_t bytes;

	*passed = -1;
	memset(message, 0, sizeof(*message));
	do
		bytes = recvmsg(fd, &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (bytes < 0 && errno == EINTR);
	if (bytes < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&head); c; c = CMSG_NXTHDR(&head, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int each;

			memcpy(&each, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (*passed < 0)
				*passed = each;
			else
				close(each);
		}
	}
	return bytes;
}

/* Terminates the message's text. Returns false if it is not one of deepprof's messages. */
static bool check(struct dp_message *message, ssize_t bytes)
{
	size_t before = offsetof(struct dp_message, text);

	if (bytes < (ssize_t)before || message->magic != DP_MESSAGE_MAGIC)
		return false;
	if (message->code_bytes > sizeof(message->text) - 1 ||
	    message->text_bytes > sizeof(message->text) - 1 - message->code_bytes ||
	    (size_t)bytes < before + message->code_bytes + message->text_bytes)
		return false;
	message->text[message->code_bytes + message->text_bytes] = '\0';
	return true;
}

static bool is_guest(const struct dp_recording *recording, int fd)
{
	for (size_t i = 0; i < recording->guest_count; i++)
		if (recording->guests[i] == fd)
			return true;
	return false;
}

static void forget_guest(struct dp_recording *recording, int fd)
{
	for (size_t i = 0; i < recording->guest_count; i++) {
		if (recording->guests[i] != fd)
			continue;
		recording->guests[i] = recording->guests[--recording->guest_count];
		return;
	}
}

static void tell_keeper(const struct dp_recording *recording, const struct dp_member *member)
{
	const struct dp_record_options *options = &recording->options;

	if (options->on_memory)
		options->on_memory(options->on_memory_ctx, member->name, member->pool);
}

/* Counts its iterations from now on. On failure it is recorded to its end. */
static int count_iterations(struct dp_recording *recording, struct dp_member *member)
{
	int status = DP_OK, spool;

	if (!recording->watch) {
		status = dp_watch__start(&recording->watch, recording->options.iterations);
		if (!status && watch(recording, dp_watch__fd(recording->watch)))
			status = DP_ERR_IO;
	}
	if (status)
		return status;
	spool = dp_recording_folder__open(recording->folder_fd, member->name, O_RDONLY);
	if (spool < 0)
		return DP_ERR_IO;
	status = dp_watch__add(recording->watch, spool, &member->watch);
	if (status)
		close(spool);
	member->watched = !status;
	return status;
}

/* Stops processes that have enough iterations; once all have, also those without iterations. */
static void heed_watch(struct dp_recording *recording)
{
	dp_watch__clear(recording->watch);
	for (size_t i = 0; i < recording->member_count; i++) {
		struct dp_member *member = &recording->members[i];

		if (!member->watched || member->enough ||
		    !dp_watch__state(recording->watch, member->watch).enough)
			continue;
		member->enough = true;
		member->announced = false;
	}
	tell_control(recording);
	if (dp_watch__enough(recording->watch))
		dp_recording_control(recording, DP_RECORD_STOP);
}

/* Uses the libraries of the first process. On failure the recording continues. */
static void sample_units(struct dp_recording *recording, pid_t pid)
{
	if (recording->gpu_sampler || !recording->options.gpu_metrics_us ||
	    recording->control == DP_POOL_STOP ||
	    !dp_gpu_sampler__start(&recording->gpu_sampler, recording->folder_fd,
				   recording->programs, pid, recording->options.gpu_metrics_us))
		return;
	recording->options.gpu_metrics_us = 0;
	dp_log__write(&recording->options.log, DP_LOG_WARNING,
		      "--gpu-metrics: hardware counters are not recorded: " DP_GPU_METRICS_PROGRAM
		      ": %s",
		      strerror(errno));
}

/* The process may be in another namespace; the kernel provides its pid in this one. */
static void sample_process(struct dp_recording *recording, const struct dp_member *member)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	if (getsockopt(member->socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) || peer.pid <= 0)
		return;
	sample_units(recording, peer.pid);
	if (!recording->host && recording->options.host_ms && recording->control != DP_POOL_STOP &&
	    dp_host__start(&recording->host, recording->folder_fd, recording->options.host_ms,
			   recording->options.switches))
		recording->options.host_ms = 0;
	if (recording->host)
		dp_host__add(recording->host, peer.pid, (uint32_t)strtoul(member->name, NULL, 10));
}

/* Handles a process that starts. Its member owns the socket from now on. */
static int greet(struct dp_recording *recording, int fd, const struct dp_message *message,
		 int passed)
{
	struct dp_pool_status state;
	struct dp_member *member;
	int status;

	if (passed >= 0 && !dp_pool__status(passed, &state)) {
		close(passed);
		passed = -1;
	}
	status = add_member(recording, message->text, passed, fd);
	if (status) {
		if (passed >= 0)
			close(passed);
		return status == DP_ERR_NOMEM ? status : DP_OK;
	}
	forget_guest(recording, fd);
	member = &recording->members[recording->member_count - 1];
	dp_pool_copy__reserve(recording, member);
	sample_process(recording, member);
	tell_control(recording);
	tell_keeper(recording, member);
	return recording->options.iterations ? count_iterations(recording, member) : DP_OK;
}

/* Takes one packet; *more is false if there are none now, or never will be. */
static int take_packet(struct dp_recording *recording, int fd, bool *more, bool *gone)
{
	struct dp_message message;
	int passed;
	ssize_t bytes = receive(fd, &message, &passed);
	bool known;

	*more = bytes > 0;
	*gone = !bytes;
	known = check(&message, bytes);
	/* Only once: a socket that belongs to a member is no longer a guest's. */
	if (known && message.type == DP_HELLO && is_guest(recording, fd))
		return greet(recording, fd, &message, passed);
	if (passed >= 0)
		close(passed);
	if (known && message.type == DP_TEXT)
		return tell(recording, message.level, message.text + message.code_bytes);
	return DP_OK;
}

/* The pool of a process with an orderly end has nothing more to read, and may be large. */
static void let_go(struct dp_recording *recording, struct dp_member *member)
{
	if (member->pool < 0 || !dp_pool__status(member->pool, &member->stood) ||
	    member->stood.state != DP_POOL_ENDED)
		return;
	close(member->pool);
	member->pool = -1;
	dp_pool_copy__release(recording, member);
	tell_keeper(recording, member);
}

static void leave(struct dp_recording *recording, int fd)
{
	for (size_t i = 0; i < recording->member_count; i++) {
		struct dp_member *member = &recording->members[i];

		if (member->socket != fd)
			continue;
		member->socket = -1;
		if (member->watched)
			dp_watch__end(recording->watch, member->watch);
		let_go(recording, member);
	}
	forget_guest(recording, fd);
	close(fd);
}

static int serve_socket(struct dp_recording *recording, int fd)
{
	bool more = true, gone = false;
	int status = DP_OK, each;

	for (int i = 0; more && i < PACKETS_MAX; i++) {
		each = take_packet(recording, fd, &more, &gone);
		if (each && !status)
			status = each;
	}
	if (gone)
		leave(recording, fd);
	return status;
}

static int accept_all(struct dp_recording *recording)
{
	int fd;

	for (;;) {
		fd = accept4(recording->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? DP_OK : DP_ERR_IO;
		if (dp_array__reserve(&recording->guests, &recording->guest_room,
				      recording->guest_count + 1, sizeof(*recording->guests)) ||
		    watch(recording, fd)) {
			close(fd);
			return DP_ERR_NOMEM;
		}
		recording->guests[recording->guest_count++] = fd;
	}
}

static bool is_removed(int folder_fd)
{
	struct stat info;

	return !fstat(folder_fd, &info) && !info.st_nlink;
}

/*
 * Sampling starts with the first process: a program without a GPU costs nothing. On failure the
 * recording continues; if somebody removed the folder, the end of the recording reports that.
 */
static int start_sampling(struct dp_recording *recording)
{
	int status;

	if (recording->nvml || !recording->options.sample_ms || !recording->member_count)
		return DP_OK;
	if (recording->control == DP_POOL_STOP)
		return DP_OK;
	status = dp_nvml__start(&recording->nvml, recording->nvml_library, recording->folder_fd,
				recording->options.sample_ms);
	if (!status)
		return DP_OK;
	recording->options.sample_ms = 0;
	if (status != DP_ERR_NOMEM && !is_removed(recording->folder_fd))
		dp_log__write(&recording->options.log, DP_LOG_WARNING,
			      "the GPUs' power and clocks are not recorded: %s", strerror(errno));
	return status == DP_ERR_NOMEM ? status : DP_OK;
}

static int serve_one(struct dp_recording *recording, int fd)
{
	if (fd == recording->listener)
		return accept_all(recording);
	if (recording->watch && fd == dp_watch__fd(recording->watch)) {
		heed_watch(recording);
		return DP_OK;
	}
	return serve_socket(recording, fd);
}

int dp_recording_serve(struct dp_recording *recording)
{
	struct epoll_event events[64];
	int count, rounds = 0, status = DP_OK, each;

	/* New connections may already have sent data; endless senders are not waited for. */
	do {
		count = epoll_wait(recording->poll, events, 64, 0);
		for (int i = 0; i < count; i++) {
			each = serve_one(recording, events[i].data.fd);
			if (each && !status)
				status = each;
		}
	} while (count > 0 && !status && ++rounds < ROUNDS_MAX);
	each = start_sampling(recording);
	return status ? status : each;
}

int dp_recording_fd(const struct dp_recording *recording)
{
	return recording->poll;
}

static void sum_up(struct dp_recording *recording, struct dp_record_status *status)
{
	status->sampler = dp_gpu_sampler__pid(recording->gpu_sampler);
	status->enough = recording->watch && dp_watch__enough(recording->watch);
	for (size_t i = 0; i < recording->member_count; i++) {
		struct dp_member *member = &recording->members[i];

		status->processes++;
		if (member->watched)
			status->iterations =
				DP_MAX(status->iterations,
				       dp_watch__state(recording->watch, member->watch).iterations);
		status->connected += member->socket >= 0;
		if (member->pool >= 0 && dp_pool__status(member->pool, &member->stood))
			status->active += member->socket >= 0 &&
					  member->stood.state != DP_POOL_STOPPED &&
					  member->stood.state != DP_POOL_ENDED;
		if (member->stood.first_launch_ns &&
		    (!status->first_launch_ns ||
		     member->stood.first_launch_ns < status->first_launch_ns))
			status->first_launch_ns = member->stood.first_launch_ns;
		status->events += member->stood.completed;
		status->lost += member->stood.lost;
		status->bytes += member->stood.spool_bytes;
	}
}

int dp_recording_status(struct dp_recording *recording, struct dp_record_status *status)
{
	struct dp_record_status all = DP_RECORD_STATUS_INIT;

	if (!dp_options__is_known(status->size, sizeof(all)))
		return DP_ERR_ARGUMENT;
	sum_up(recording, &all);
	dp_options__give(status, &all);
	return DP_OK;
}

/* Opens "<pid>.<n>.pool" next to "<pid>.<n>.spool". */
static int find_pool(const struct dp_recording *recording, const char *name)
{
	char pool[300];

	snprintf(pool, sizeof(pool), "%.*s.pool", (int)(strlen(name) - 6), name);
	return dp_recording_folder__open(recording->folder_fd, pool, O_RDONLY);
}

static int compare_members(const void *a, const void *b)
{
	const struct dp_member *x = a, *y = b;
	long a_pid = strtol(x->name, NULL, 10), b_pid = strtol(y->name, NULL, 10);

	return a_pid != b_pid ? (a_pid > b_pid) - (a_pid < b_pid) : strcmp(x->name, y->name);
}

int dp_live__collect(struct dp_recording *recording)
{
	int fd = dup(recording->folder_fd), status = DP_OK, pool;
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return DP_ERR_IO;
	}
	rewinddir(folder);
	while (!status && (entry = readdir(folder))) {
		if (!valid_name(entry->d_name) || is_known(recording, entry->d_name))
			continue;
		pool = find_pool(recording, entry->d_name);
		status = add_member(recording, entry->d_name, pool, -1);
		if (status && pool >= 0)
			close(pool);
		if (status == DP_ERR_IO)
			status = DP_OK;
	}
	closedir(folder);
	/* Sorts processes, so that their order in the file does not depend on that of arrival. */
	if (recording->member_count)
		qsort(recording->members, recording->member_count, sizeof(*recording->members),
		      compare_members);
	return status;
}
