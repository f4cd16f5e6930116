/*
 * A program that is recorded without a GPU: it says to the launcher what the collector would, as
 * its arguments (NAME=VALUE) tell.
 *
 *   iterations=N  of six kernels, a copy, their calls and an NVTX range each (default 20)
 *   full=1        and a graph's replay, a set, memory that is allocated and freed, and a wait
 *   pace=US       between iterations
 *   follow=1      goes on until it is asked to stop; pauses while it is asked to
 *   processes=N   of which each records (default 1)
 *   left=N        NVTX marks that stay in the pool, as when the process dies before storing them
 *   lost=N        records that are lost
 *   unbalanced=1  the sums do not add up
 *   message=TEXT  for the user
 *   connect=0     leaves its pool in the folder instead of sending it
 *   end=exit:N, end=signal:N, end=stay:MS (a child stays behind)
 *   step=NS       CUPTI's clock jumps by that much, halfway
 */
#include "spool/pool.h"
#include "spool/spool_write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KERNELS = 6, RING_BYTES = 1 << 16, RINGS = 2, PAGE = 4096 };
enum { RING_TABLE = 2 * PAGE, RING_DATA = 3 * PAGE, POOL_BYTES = RING_DATA + RINGS * RING_BYTES };

static int arg_count;
static char **arg_list;

static const char *text_arg(const char *name, const char *otherwise)
{
	size_t length = strlen(name);

	for (int i = 1; i < arg_count; i++)
		if (!strncmp(arg_list[i], name, length) && arg_list[i][length] == '=')
			return arg_list[i] + length + 1;
	return otherwise;
}

static long arg(const char *name, long otherwise)
{
	const char *text = text_arg(name, NULL);

	return text ? strtol(text, NULL, 10) : otherwise;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void nap(int64_t ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		continue;
}

static void fail(const char *what)
{
	fprintf(stderr, "producer: %s: %s\n", what, strerror(errno));
	exit(99);
}

struct producer {
	struct dp_spool_writer writer;
	struct dp_pool_header *pool;
	int pool_fd;
	int64_t shift; /* CUPTI's clock - CLOCK_MONOTONIC; hours, as step= may set it back */
	uint64_t correlation;
	uint32_t kernels[KERNELS];
	uint32_t step_name;
};

static struct dp_pool_header *make_pool(struct producer *p, const char *folder)
{
	char name[4096];
	struct dp_pool_header *pool;

	snprintf(name, sizeof(name), "%s/%d.0.pool", folder, (int)getpid());
	p->pool_fd = arg("connect", 1) ? memfd_create("pool", MFD_CLOEXEC)
				       : open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (p->pool_fd < 0 || ftruncate(p->pool_fd, POOL_BYTES))
		fail("pool");
	pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->pool_fd, 0);
	if (pool == MAP_FAILED)
		fail("pool");
	memcpy(pool->magic, DP_POOL_MAGIC, sizeof(pool->magic));
	pool->version = DP_POOL_VERSION;
	pool->bytes = sizeof(*pool);
	pool->pool_bytes = POOL_BYTES;
	pool->pid = (uint32_t)getpid();
	pool->rings = RINGS;
	pool->ring_bytes = RING_BYTES;
	pool->slot_table = PAGE;
	pool->slot_data = pool->ring_table = RING_TABLE;
	pool->ring_data = RING_DATA;
	pool->state = DP_POOL_RUNNING;
	if (strstr(getenv(DP_SPOOL_ENV_OPTIONS), "start=pause"))
		pool->control = DP_POOL_PAUSE;
	return pool;
}

static void send_message(int fd, uint32_t type, const char *text, int passed)
{
	struct dp_message message = { .magic = DP_MESSAGE_MAGIC,
				      .type = type,
				      .pid = (uint32_t)getpid(),
				      .level = DP_SPOOL_WARNING,
				      .text_bytes = (uint32_t)strlen(text) };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { &message, sizeof(message) };
	struct msghdr head = { .msg_iov = &part, .msg_iovlen = 1 };

	snprintf(message.text, sizeof(message.text), "%s", text);
	if (passed >= 0) {
		memset(&control, 0, sizeof(control));
		head.msg_control = &control;
		head.msg_controllen = sizeof(control);
		CMSG_FIRSTHDR(&head)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&head)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&head)->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&head)), &passed, sizeof(int));
	}
	if (sendmsg(fd, &head, 0) < 0)
		fail("sendmsg");
}

static void hello(const struct producer *p, const char *folder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[64];

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", at,
		 DP_SPOOL_SOCKET);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		fail("connect");
	close(at);
	snprintf(name, sizeof(name), "%d.0.spool", (int)getpid());
	send_message(fd, DP_HELLO, name, p->pool_fd);
	if (*text_arg("message", ""))
		send_message(fd, DP_TEXT, text_arg("message", ""), -1);
}

static void open_spool(struct producer *p, const char *folder)
{
	struct dp_spool_header header = { .magic = DP_SPOOL_MAGIC,
					  .version = DP_SPOOL_VERSION,
					  .bytes = sizeof(header),
					  .pid = (uint32_t)getpid(),
					  .ppid = (uint32_t)getppid(),
					  .realtime_ns = now_ns(CLOCK_REALTIME),
					  .monotonic_ns = now_ns(CLOCK_MONOTONIC) };
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s/%d.0.spool", folder, (int)getpid());
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || !dp_writer__open(&p->writer, fd, &header, p->pool))
		fail(name);
}

static void add(struct producer *p, struct dp_spool_record record, bool counted)
{
	dp_writer__add(&p->writer, &record, counted);
}

static uint32_t text(struct producer *p, const char *text)
{
	return dp_writer__text(&p->writer, text, strlen(text));
}

static uint64_t cupti_now(const struct producer *p)
{
	return (uint64_t)(now_ns(CLOCK_MONOTONIC) + p->shift);
}

static void put_clock(struct producer *p)
{
	add(p,
	    (struct dp_spool_record){ .type = DP_SPOOL_CLOCK,
				      .clock = { cupti_now(p), now_ns(CLOCK_REALTIME),
						 now_ns(CLOCK_MONOTONIC),
						 now_ns(CLOCK_MONOTONIC_RAW) } },
	    false);
}

static void put_info(struct producer *p, const char *key, const char *value)
{
	if (value)
		add(p,
		    (struct dp_spool_record){ .type = DP_SPOOL_INFO,
					      .info = { text(p, key), text(p, value) } },
		    false);
}

static void describe(struct producer *p)
{
	struct dp_spool_record record = { .type = DP_SPOOL_DEVICE };
	static const char *const names[KERNELS] = { "_Z4gemmPfS_i",  "_Z4reluPfi", "_Z4gemmPfS_i",
						    "_Z7softmaxPfi", "_Z4gradPfi", "adam" };
	static const struct {
		uint32_t cbid;
		const char *name;
	} calls[] = {
		{ 20, "cudaMalloc_v3020" },
		{ 22, "cudaFree_v3020" },
		{ 41, "cudaMemcpyAsync_v3020" },
		{ 51, "cudaMemsetAsync_v3020" },
		{ 131, "cudaStreamSynchronize_v3020" },
		{ 211, "cudaLaunchKernel_v7000" },
		{ 311, "cudaGraphLaunch_v10000" },
	};

	put_info(p, "cmdline", "producer\nand its arguments");
	put_info(p, "env.RANK", getenv("RANK"));
	put_info(p, "cupti.version", "26");
	put_info(p, "driver.version", "12040");
	put_info(p, "graph_mode", "graph");
	record.device.name = text(p, "Fake GPU");
	for (uint8_t i = 0; i < 16; i++)
		record.device.uuid[i] = i;
	record.device.cc_major = 9;
	record.device.sms = 132;
	add(p, record, true);
	add(p,
	    (struct dp_spool_record){ .type = DP_SPOOL_CONTEXT,
				      .context = { .context = 1, .null_stream = 7 } },
	    true);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		add(p,
		    (struct dp_spool_record){
			    .type = DP_SPOOL_CBID,
			    .cbid = { 2, calls[i].cbid, text(p, calls[i].name) } },
		    false);
	add(p,
	    (struct dp_spool_record){ .type = DP_SPOOL_STATE,
				      .state = { now_ns(CLOCK_REALTIME), DP_SPOOL_STARTED } },
	    false);
	for (int i = 0; i < KERNELS; i++)
		p->kernels[i] = text(p, names[i]);
	p->step_name = text(p, "step");
	put_clock(p);
}

static void put_range(struct producer *p, uint32_t type)
{
	add(p,
	    (struct dp_spool_record){
		    .type = DP_SPOOL_NVTX,
		    .nvtx = { .monotonic_ns = (uint64_t)now_ns(CLOCK_MONOTONIC),
			      .tid = (uint32_t)getpid(),
			      .type = type,
			      .name = type == DP_SPOOL_NVTX_PUSH ? p->step_name : 0 } },
	    true);
}

static void put_api(struct producer *p, uint64_t start, uint32_t cbid)
{
	add(p,
	    (struct dp_spool_record){ .type = DP_SPOOL_API,
				      .api = { start, start + 3000, ++p->correlation,
					       (uint32_t)getpid(), 2, cbid, 0 } },
	    true);
}

/* Memory is allocated and set, a graph replayed and waited for, the memory freed. */
static void put_more(struct producer *p, uint64_t now)
{
	const struct dp_spool_place place = { 0, 1, 7 };
	struct dp_spool_record record = { .type = DP_SPOOL_MEM_OP };

	put_api(p, now, 20);
	record.mem_op = (struct dp_spool_mem_op){ .time = now + 1000,
						  .address = 0x7f0000000000,
						  .bytes = 1 << 20,
						  .correlation = p->correlation,
						  .op = 1,
						  .kind = 3,
						  .stream = UINT32_MAX };
	add(p, record, true);
	put_api(p, now + 4000, 51);
	record = (struct dp_spool_record){ .type = DP_SPOOL_MEMSET };
	record.memset = (struct dp_spool_memset){ .place = place,
						  .start = now + 8000,
						  .end = now + 9000,
						  .bytes = 1 << 20,
						  .correlation = p->correlation,
						  .memory_kind = 3 };
	add(p, record, true);
	put_api(p, now + 8000, 311);
	record = (struct dp_spool_record){ .type = DP_SPOOL_GRAPH };
	record.graph = (struct dp_spool_graph){ .place = place,
						.start = now + 12000,
						.end = now + 20000,
						.correlation = p->correlation,
						.graph = 5 };
	add(p, record, true);
	record = (struct dp_spool_record){ .type = DP_SPOOL_API };
	record.api = (struct dp_spool_api){
		now + 12000, now + 20500, ++p->correlation, (uint32_t)getpid(), 2, 131, 0
	};
	add(p, record, true);
	record = (struct dp_spool_record){ .type = DP_SPOOL_SYNC };
	record.sync = (struct dp_spool_sync){ .start = now + 12100,
					      .end = now + 20400,
					      .correlation = p->correlation,
					      .kind = 3,
					      .context = 1,
					      .stream = 7,
					      .event = UINT32_MAX };
	add(p, record, true);
	put_api(p, now + 21000, 22);
	record = (struct dp_spool_record){ .type = DP_SPOOL_MEM_OP };
	record.mem_op = (struct dp_spool_mem_op){ .time = now + 22000,
						  .address = 0x7f0000000000,
						  .bytes = 1 << 20,
						  .correlation = p->correlation,
						  .op = 2,
						  .kind = 3,
						  .stream = UINT32_MAX };
	add(p, record, true);
}

static void put_iteration(struct producer *p)
{
	const struct dp_spool_place place = { 0, 1, 7 };
	uint64_t now = cupti_now(p);
	struct dp_spool_record record;

	put_range(p, DP_SPOOL_NVTX_PUSH);
	put_api(p, now, 41);
	record = (struct dp_spool_record){ .type = DP_SPOOL_MEMCPY };
	record.memcpy = (struct dp_spool_memcpy){ .place = place,
						  .start = now + 4000,
						  .end = now + 5000,
						  .bytes = 4096,
						  .correlation = p->correlation,
						  .kind = 1,
						  .src_kind = 1,
						  .dst_kind = 3 };
	add(p, record, true);
	for (int i = 0; i < KERNELS; i++) {
		put_api(p, now + 5000 * (uint64_t)i, 211);
		record = (struct dp_spool_record){ .type = DP_SPOOL_KERNEL };
		record.kernel = (struct dp_spool_kernel){
			.place = place,
			.shape = { .grid = { 8, 1, 1 }, .block = { 128, 1, 1 } },
			.start = now + 6000 + 5000 * (uint64_t)i,
			.end = now + 6000 + 5000 * (uint64_t)i + 4000,
			.correlation = p->correlation,
			.name = p->kernels[i],
		};
		add(p, record, true);
	}
	if (arg("full", 0))
		put_more(p, now + 6000 + 5000 * KERNELS);
	put_range(p, DP_SPOOL_NVTX_POP);
}

/* Marks that the writer never came to: only salvage has them. */
static void leave_in_ring(struct producer *p, long count)
{
	struct dp_pool_ring *ring = (void *)((char *)p->pool + RING_TABLE);
	char *data = (char *)p->pool + RING_DATA + RING_BYTES;
	uint64_t head = 0;

	ring += 1;
	ring->tid = (uint32_t)getpid();
	for (long i = 0; i < count && head + 88 <= RING_BYTES; i++) {
		struct dp_pool_event *event = (void *)(data + head);

		event->bytes = (uint32_t)(sizeof(*event) + 8);
		event->type = DP_SPOOL_NVTX_MARK;
		event->monotonic_ns = (uint64_t)now_ns(CLOCK_MONOTONIC);
		event->text_bytes = 4;
		memcpy(event + 1, "left", 4);
		head += event->bytes;
	}
	ring->head = head;
}

static void finish(struct producer *p)
{
	dp_writer__flush(&p->writer);
	put_clock(p);
	if (arg("lost", 0))
		dp_writer__lose(&p->writer, DP_LOSS_POOL_FULL, 10, (uint64_t)arg("lost", 0), 0);
	dp_writer__flush(&p->writer);
	if (arg("unbalanced", 0))
		p->pool->banks[p->pool->bank & 1].completed[10] += 5;
	dp_writer__sums(&p->writer, now_ns(CLOCK_REALTIME));
	add(p,
	    (struct dp_spool_record){ .type = DP_SPOOL_STATE,
				      .state = { now_ns(CLOCK_REALTIME), DP_SPOOL_ENDED } },
	    false);
	dp_writer__flush(&p->writer);
	p->pool->state = DP_POOL_ENDED;
}

static void work(struct producer *p)
{
	long iterations = arg("iterations", 20), pace = arg("pace", 0), follow = arg("follow", 0);

	for (long i = 0; follow || i < iterations; i++) {
		uint32_t control = p->pool->control;

		if (control == DP_POOL_STOP)
			break;
		if (i == iterations / 2 && arg("step", 0)) {
			put_clock(p);
			p->shift += arg("step", 0);
			put_clock(p);
		}
		/* It works on, recorded or not. */
		if (!p->pool->first_launch_ns)
			p->pool->first_launch_ns = now_ns(CLOCK_MONOTONIC);
		if (control == DP_POOL_RUN)
			put_iteration(p);
		if (follow)
			dp_writer__flush(&p->writer);
		if (follow || pace)
			nap(pace ? pace * 1000 : 1000000);
	}
}

static void end(struct producer *p)
{
	const char *how = text_arg("end", "exit:0");
	const char *colon = strchr(how, ':');
	long number = colon ? strtol(colon + 1, NULL, 10) : 0;

	if (!strncmp(how, "signal", 6)) {
		dp_writer__flush(&p->writer);
		leave_in_ring(p, arg("left", 0));
		raise((int)number);
	}
	if (!strncmp(how, "stay", 4) && !fork()) {
		dp_writer__flush(&p->writer);
		close(1);
		close(2);
		nap(number * 1000000);
		finish(p);
		_exit(0);
	}
	if (!strncmp(how, "stay", 4))
		_exit(0);
	finish(p);
	while (wait(NULL) > 0)
		continue;
	if (!strncmp(how, "exit", 4))
		exit((int)number);
}

static void produce(void)
{
	const char *folder = getenv(DP_SPOOL_ENV);
	struct producer p = { .shift = 10000000000000 };

	if (!folder || !getenv(DP_SPOOL_ENV_OPTIONS))
		fail("not recorded");
	p.pool = make_pool(&p, folder);
	open_spool(&p, folder);
	if (arg("connect", 1))
		hello(&p, folder);
	describe(&p);
	work(&p);
	end(&p);
}

int main(int argc, char **argv)
{
	arg_count = argc;
	arg_list = argv;
	for (long i = arg("processes", 1); i > 1; i--)
		if (!fork())
			break;
	produce();
	while (wait(NULL) > 0)
		continue;
	return 0;
}
