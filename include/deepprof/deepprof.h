/*
 * deepprof: iterations of GPU programs, found in their traces.
 *
 * This header includes all others. Unless a function's contract says otherwise:
 * - It may be called from any thread, as long as no two calls use the same object at the same time.
 *   An object that is only read may be shared.
 * - It takes constant time, or time linear in a small table (formats, rules, metrics, losses).
 * - A pointer that it returns is borrowed: it is valid until the object that it comes from is freed.
 *   One to static storage is always valid.
 * - It fails with DP_ERR_ARGUMENT if the size that a struct of options begins with is 0 or unknown.
 *
 * The library never prints, never exits, and leaves signals, locale and environment alone.
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
