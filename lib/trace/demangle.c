/*
 * Uses the C++ runtime's own demangler, which follows the compilers; demangle_long.c handles names
 * that it rejects because of their length, and those whose plain form may be very long.
 *
 * A mangled name refers back to parts of itself, so its plain form can be exponentially longer: 289
 * bytes can stand for 872 MB. So the length is estimated first: the runtime's demangler has no
 * limit. Cost: linear in the name and in its plain form, which is bounded.
 */
#include "trace/demangle.h"
#include "trace/demangle_long.h"

#include <string.h>

/* No compiler's kernel name comes near this, mangled or plain. */
#define LONGEST 65536

/*
 * Most bytes of a plain form per byte of a name that demangle_long.c reads, so that many such names
 * cost no more than their file's size times this. PyTorch's have 9 at most.
 */
#define TIMES 32

/* libiberty rejects longer names: DEMANGLE_RECURSION_LIMIT, 2048, limits twice the bytes. */
#define RUNTIME_LONGEST 1024

/*
 * Of 125,000 names in a Linux system's libraries, including PyTorch's, 60 have estimates above
 * this, though none is longer than 4 KB. Names below it have plain forms of some hundred KB at
 * most.
 */
#define ESTIMATE_MOST 1e7

/* Back references that are distinguished: S_, S0_ … */
#define REFERENCES 64

/* Itanium C++ ABI, 3.4: every C++ runtime library has it, but no C header declares it. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *length, int *status);

/* The estimated length of a name, as far as it was read. */
struct expansion {
	double size;
	double of[REFERENCES]; /* what S_, S0_ … refer to */
	size_t known;	       /* how many of those are known */
	double argument;       /* what T_ … refer to */
	bool list_changed;     /* a list of arguments may have begun or ended since */
	bool has_argument;
};

/* Reads "_" or "1A_" behind "S": returns its number, or -1 if p is not at one. */
static int reference(const char *p)
{
	int number = 0;

	if (*p == '_')
		return 0;
	for (; (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z'); p++)
		number = DP_MIN(number * 36 + (*p <= '9' ? *p - '0' : *p - 'A' + 10), REFERENCES);
	return *p == '_' ? number + 1 : -1;
}

static bool is_argument(const char *p)
{
	while ((*p >= '0' && *p <= '9') || *p == 'L')
		p++;
	return *p == '_';
}

/* The text of a reference was complete when its number or a higher one first appeared. */
static void expand_reference(struct expansion *e, int number)
{
	if (number >= REFERENCES) {
		e->size += e->size;
		return;
	}
	while (e->known <= (size_t)number)
		e->of[e->known++] = e->size;
	e->size += e->of[number];
}

/* T_ refers to a list of arguments that was complete before. */
static void expand_argument(struct expansion *e)
{
	if (e->list_changed)
		e->argument = e->size;
	e->list_changed = false;
	e->has_argument = true;
	e->size += e->argument;
}

/*
 * Returns an upper bound of the plain form's length, in units of what the name's characters stand
 * for. Anything in an identifier that looks like a reference counts as one, which errs on the safe
 * side. A pack has at most as many elements as the name has characters; the type of a conversion
 * operator may refer to later arguments.
 */
static double estimate(const char *name)
{
	struct expansion e = { .size = 0 };
	double length = (double)strlen(name), factor = 1;

	for (const char *p = name; *p; p++) {
		e.size++;
		if (*p == 'I' || *p == 'E')
			e.list_changed = true;
		else if (*p == 'S' && reference(p + 1) >= 0)
			expand_reference(&e, reference(p + 1));
		else if (*p == 'T' && is_argument(p + 1))
			expand_argument(&e);
		else if (!strncmp(p, "Dp", 2))
			factor *= length;
	}
	if (e.has_argument && strstr(name, "cv"))
		factor *= e.size;
	return e.size * factor;
}

int dp_name__demangle(char **out, const char *mangled)
{
	int status = 0;

	*out = NULL;
	if (strncmp(mangled, "_Z", 2) || strlen(mangled) > LONGEST)
		return DP_OK;
	if (strlen(mangled) > RUNTIME_LONGEST || estimate(mangled) > ESTIMATE_MOST)
		return dp_name__demangle_long(out, mangled,
					      DP_MIN(LONGEST, TIMES * strlen(mangled)));
	*out = __cxa_demangle(mangled, NULL, NULL, &status);
	if (*out && strlen(*out) > LONGEST) {
		free(*out);
		*out = NULL;
	}
	return status == -1 ? DP_ERR_NOMEM : DP_OK;
}
