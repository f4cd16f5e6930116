/* The words around the numbers of findings, by their names. */
#ifndef DP_REPORT_TEXT_SAYINGS_H
#define DP_REPORT_TEXT_SAYINGS_H

#include "report/text.h"

/* The words around a number; numbers not listed are shown with their names. */
struct dp_saying {
	const char *name;
	const char *before;
	const char *after;
	const char *cost;    /* instead, if it is the cost, which was shown */
	const char *of;	     /* what it is a part of; default: the cost */
	const char *all;     /* instead, if it is all of that; "": nothing */
	const char *behind;  /* right behind this one, */
	const char *joint;   /* these come before it, */
	const char *close;   /* and these after, */
	const char *mean;    /* or these for a mean of iterations, if they differ */
	const char *typical; /* after it if slow iterations are left out and that is not obvious */
	bool ordinal;	     /* it is shown as one, such as 5th */
	bool of_capture;     /* it is a share of the capture if there are no iterations */
};

/* NULL for numbers that are not listed. Static. */
const struct dp_saying *dp_saying__of(const char *name);

/* Adds a number with its words; joined: to the number before it. */
void dp_saying__add(struct dp_words *words, const char *gap, const struct dp_saying *saying,
		    const struct dp_evidence_value *at, bool joined, const char *after, bool ascii);

/* Adds the call or kernel that a number is about, if there is one. */
void dp_saying__add_call(struct dp_words *words, const struct dp_evidence_value *at, bool ascii);

/* Adds a number with what it is a part of, by itself. */
void dp_saying__add_alone(struct dp_words *words, const struct dp_evidence_value *at, bool ascii);

#endif
