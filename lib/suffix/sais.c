/* The instances of sais.inc.h. */
#include "suffix/sais.h"

#include <string.h>

static int sort_32_32(const uint32_t *text, int32_t *sa, int32_t *work, size_t count,
		      size_t alphabet);
static int sort_64_64(const uint64_t *text, int64_t *sa, int64_t *work, size_t count,
		      size_t alphabet);

#define INDEX int32_t
#define DEEPER(name) name##_32_32

#define CHAR uint32_t
#define SELF(name) name##_32_32
#include "suffix/sais.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint16_t
#define SELF(name) name##_16_32
#include "suffix/sais.inc.h"
#undef SELF
#undef CHAR

#undef DEEPER
#undef INDEX

#define INDEX int64_t
#define DEEPER(name) name##_64_64

#define CHAR uint64_t
#define SELF(name) name##_64_64
#include "suffix/sais.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint32_t
#define SELF(name) name##_32_64
#include "suffix/sais.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint16_t
#define SELF(name) name##_16_64
#include "suffix/sais.inc.h"
#undef SELF
#undef CHAR

int dp_sais__16_32(const uint16_t *text, int32_t *sa, int32_t *work, size_t count, size_t alphabet)
{
	return sort_16_32(text, sa, work, count, alphabet);
}

int dp_sais__32_32(const uint32_t *text, int32_t *sa, int32_t *work, size_t count, size_t alphabet)
{
	return sort_32_32(text, sa, work, count, alphabet);
}

int dp_sais__16_64(const uint16_t *text, int64_t *sa, int64_t *work, size_t count, size_t alphabet)
{
	return sort_16_64(text, sa, work, count, alphabet);
}

int dp_sais__32_64(const uint32_t *text, int64_t *sa, int64_t *work, size_t count, size_t alphabet)
{
	return sort_32_64(text, sa, work, count, alphabet);
}
