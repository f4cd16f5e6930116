/* What a spool reports about its process once, or repeatedly with the last report counting. */
#ifndef DP_RECORD_FACTS_H
#define DP_RECORD_FACTS_H

#include "base/base.h"
#include "base/lookup.h"
#include "spool/spool.h"

struct dp_source;

/* The last report about a thread, device, context, stream or function, by up to two numbers. */
struct dp_spool_fact {
	enum dp_spool_type type;
	uint32_t ids[2];
	uint32_t name; /* a string of the spool, 0: none */
	union {
		struct dp_spool_device device;
		struct dp_spool_context context;
		struct dp_spool_stream stream;
	};
};

struct dp_facts {
	struct dp_spool_fact *facts;
	size_t count;
	size_t room;
	struct dp_lookup places;     /* type and numbers to index in facts */
	struct dp_spool_info *infos; /* the last of each key */
	size_t info_count;
	size_t info_room;
	struct dp_spool_count counts[DP_SPOOL_KINDS];
	bool cupti;	/* it has recorded */
	bool refused;	/* something prevented that */
	int64_t end_ns; /* when it ended, 0: unknown */
	bool paused;	/* recording is off, since off_ns */
	int64_t off_ns;
};

void dp_facts__fini(struct dp_facts *facts);

/* Handles a record that is a fact; *taken: it was one. */
int dp_facts__take(struct dp_source *source, const struct dp_spool_record *record, bool *taken);

/* Writes the process and everything known about it. */
int dp_facts__write(struct dp_source *source);

/* Returns the value of an info, or NULL. */
const char *dp_facts__info(const struct dp_source *source, const char *key);

#endif
