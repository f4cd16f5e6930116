/*
 * The C++ runtime's own demangler: it follows the compilers. For names that it refuses because of
 * their length there is demangle_long.c.
 *
 * A mangled name refers back to parts of itself, so its plain form can be exponentially longer: 289
 * bytes can stand for 872 MB. So the length is estimated first. Cost: linear in the name and in its
 * plain form, which is bounded.
 */
#include "trace/demangle.h"
#include "trace/demangle_long.h"

#include <string.h>

/* No compiler's kernel name comes near this, mangled or plain. */
#define LONGEST 65536

/* libiberty's DEMANGLE_RECURSION_LIMIT, 2048, is for twice the bytes: it refuses longer names. */
#define RUNTIME_LONGEST 1024

/*
 * Of 125,000 names in a Linux system's libraries, PyTorch's among them, 60 are estimated above
 * this, and the longest has 4 KB. What is let through has some hundred KB at the most.
 */
#define ESTIMATE_MOST 1e7

/* Back references that are distinguished: S_, S0_ … */
#define REFERENCES 64

/* Itanium C++ ABI, 3.4: in every C++ runtime library, without a C header. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *length, int *status);

/* How long a name may get, as far as it was looked at. */
struct expansion {
	double size;
	double of[REFERENCES]; /* of what S_, S0_ … refer to */
	size_t known;	       /* of those */
	double argument;       /* of what T_ … refer to */
	bool list_changed;     /* a list of arguments may have begun or ended since */
	bool has_argument;
};

/* Behind "S_", "S1A_": its number, or -1 where p stands at no such thing. */
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

/* What a reference stands for was complete when one of its number or above first stood there. */
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

/* What T_ stands for lies in a list of arguments that was complete before. */
static void expand_argument(struct expansion *e)
{
	if (e->list_changed)
		e->argument = e->size;
	e->list_changed = false;
	e->has_argument = true;
	e->size += e->argument;
}

/*
 * An upper bound of the plain form's length in units of what the name's characters stand for. What
 * looks like a reference inside an identifier is taken for one: that errs on the safe side. A pack
 * has as many elements as the name has characters at the most; a conversion operator's type may
 * refer to arguments that come later.
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
	if (strlen(mangled) > RUNTIME_LONGEST)
		return dp_name__demangle_long(out, mangled, LONGEST);
	if (estimate(mangled) > ESTIMATE_MOST)
		return DP_OK;
	*out = __cxa_demangle(mangled, NULL, NULL, &status);
	if (*out && strlen(*out) > LONGEST) {
		free(*out);
		*out = NULL;
	}
	return status == -1 ? DP_ERR_NOMEM : DP_OK;
}
