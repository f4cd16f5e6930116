/*
 * deepprof: iterations of GPU programs, found in their traces.
 *
 * This header includes all others. Every function whose contract does not say otherwise may be
 * called from any thread as long as no two calls use the same object at the same time; an object
 * that is only read may be shared. The library never prints, never exits, and leaves signals,
 * locale and environment alone.
 */
#ifndef DEEPPROF_H
#define DEEPPROF_H

#include <deepprof/analysis.h>
#include <deepprof/common.h>
#include <deepprof/compare.h>
#include <deepprof/detector.h>
#include <deepprof/loop.h>
#include <deepprof/ranks.h>
#include <deepprof/record.h>
#include <deepprof/report.h>
#include <deepprof/suffix.h>
#include <deepprof/table.h>
#include <deepprof/trace.h>

#endif
