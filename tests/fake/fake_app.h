/* Shared by the parts of the program under test. */
#ifndef DP_FAKE_APP_H
#define DP_FAKE_APP_H

#include "fake.h"

int cuInit(unsigned int flags);

/* The fake libcupti, once it is loaded; NULL before. */
extern const struct fake_interface *app_fake;

/* The action of a word, with what follows its "=" as a number, or as text. */
struct app_word {
	const char *name; /* NULL ends a list */
	void (*of_number)(uint64_t number);
	void (*of_text)(const char *text);
	void (*plain)(void);
};

extern const struct app_word app_record_words[];

/* Finds it at a path, or where it is loaded. */
void app_find_fake(const char *path);

/* Makes this many launches; this many NVTX pushes and pops. */
void app_launch(uint64_t count);
void app_nvtx(uint64_t count);

/* The eight kernels of an iteration. */
void app_step(void);

/* Words that keep the host busy: fake_host.c. */
void app_compute(const char *value);
void app_shares(const char *value);
void app_made(uint64_t ms);
void app_pages(const char *value);
void app_files(const char *value);

/* Words that wait: fake_waits.c. */
void app_looked(void);
void app_flushed(void);
void app_go(void);

/* Words that create processes; see fake_app.c. Before the first: */
void app_prepare_forks(void);
void app_children(uint64_t count, int with_cuda);
void app_clones(uint64_t count);
void app_vforks(uint64_t count);
void app_leave(uint64_t ms);
void app_ranks(uint64_t count);
void app_be_daemon(void);
void app_spawn(uint64_t count);
void app_inherited(void);

#endif
