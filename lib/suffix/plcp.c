/* The instances of plcp.inc.h. */
#include "suffix/plcp.h"

/* How many random writes are under way at once. */
#define AHEAD 32

#define INDEX int32_t

#define CHAR uint16_t
#define SELF(name) name##_16_32
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint32_t
#define SELF(name) name##_32_32
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

#undef INDEX
#define INDEX int64_t

#define CHAR uint16_t
#define SELF(name) name##_16_64
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR

#define CHAR uint32_t
#define SELF(name) name##_32_64
#include "suffix/plcp.inc.h"
#undef SELF
#undef CHAR
