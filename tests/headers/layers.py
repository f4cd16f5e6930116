#!/usr/bin/env python3
"""Holds the rule of who may include whom. layers.py ROOT"""
import pathlib
import re
import sys

# Directory: what its files may include besides the system's headers. A name that ends in / is a
# layer, others are files; deepprof/ is the public headers.
LAYERS = {
    'include/deepprof': ['deepprof/'],
    'lib/base': ['base/', 'deepprof/common.h', 'deepprof/loop.h'],
    'lib/stats': ['base/', 'stats/', 'deepprof/common.h'],
    'lib/trace': ['base/', 'trace/', 'deepprof/common.h', 'deepprof/trace.h'],
    'lib/format': ['format/'],
    'lib/import': ['base/', 'format/', 'import/', 'trace/builder.h', 'deepprof/common.h',
                   'deepprof/trace.h'],
    'lib/suffix': ['base/', 'suffix/', 'deepprof/common.h', 'deepprof/suffix.h'],
    'lib/align': ['base/', 'align/', 'deepprof/common.h', 'deepprof/loop.h'],
    'lib/pattern': ['base/', 'pattern/', 'align/', 'suffix/parse.h', 'deepprof/common.h',
                    'deepprof/suffix.h'],
    'lib/iterate': ['base/', 'iterate/', 'align/', 'deepprof/common.h', 'deepprof/loop.h'],
    'lib/loops': ['base/', 'loops/', 'iterate/', 'pattern/', 'align/', 'deepprof/common.h',
                  'deepprof/suffix.h', 'deepprof/loop.h'],
    'lib/online': ['base/', 'online/', 'loops/', 'iterate/', 'pattern/', 'align/',
                   'deepprof/common.h', 'deepprof/detector.h', 'deepprof/loop.h'],
    'lib/sequence': ['base/', 'stats/stat.h', 'sequence/', 'iterate/iteration.h', 'deepprof/common.h',
                     'deepprof/loop.h', 'deepprof/trace.h'],
    'lib/activity': ['base/', 'stats/', 'activity/', 'deepprof/common.h', 'deepprof/trace.h',
                     'deepprof/loop.h', 'deepprof/analysis.h'],
    'lib/metric': ['base/', 'stats/', 'metric/', 'activity/', 'deepprof/common.h',
                   'deepprof/trace.h', 'deepprof/loop.h', 'deepprof/analysis.h'],
    'lib/diagnose': ['base/', 'stats/', 'diagnose/', 'metric/', 'activity/slices.h',
                     'deepprof/common.h', 'deepprof/loop.h', 'deepprof/analysis.h'],
    'lib/compare': ['base/', 'stats/', 'compare/', 'sequence/family.h', 'deepprof/'],
    'lib/ranks': ['base/', 'stats/', 'ranks/', 'activity/collective.h', 'activity/spans.h',
                  'activity/trace_index.h', 'deepprof/'],
    'lib/record': ['base/', 'format/', 'record/', 'spool/', 'trace/demangle.h',
                   'import/plain_open.h', 'deepprof/common.h', 'deepprof/detector.h',
                   'deepprof/record.h'],
    'lib/report': ['base/', 'report/', 'deepprof/'],
    'lib/table': ['base/', 'table/', 'deepprof/'],
    'lib': ['', 'base/', 'trace/builder.h', 'trace/model.h', 'sequence/', 'loops/loops.h', 'activity/',
            'metric/', 'diagnose/', 'deepprof/'],
    'cli': ['', 'deepprof/'],
    'collectors/gpu_metrics': ['gpu_metrics/', 'spool/gpu_metrics.h'],
    'collectors/spool': ['spool/', 'cupti/cupti_abi.h'],
    'collectors/cupti': ['spool/', 'cupti/'],
}
# Headers of other libraries, and the layers that may know them.
FOREIGN = {
    'sqlite3.h': ['lib/import', 'lib/record', 'lib/report'],
    'jansson.h': ['lib', 'lib/import', 'lib/report'],
    'csv.h': ['lib/import', 'lib/report'],
    'zlib.h': ['lib', 'lib/import', 'lib/ranks', 'lib/report'],
    'cxxabi.h': ['lib/trace'],
    'check.h': [],
}
OURS = {'base', 'trace', 'format', 'import', 'suffix', 'align', 'pattern', 'iterate', 'loops', 'online',
        'sequence', 'stats', 'activity', 'metric', 'diagnose', 'compare', 'ranks', 'record',
        'report', 'spool', 'cupti', 'gpu_metrics', 'table', 'deepprof'}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.M)


def allowed(layer, name, quoted):
    """True where a file of the layer may include the header."""
    if name in FOREIGN:
        return layer in FOREIGN[name]
    first = name.split('/')[0] if '/' in name else ''
    if not quoted and first not in OURS:
        return True
    if '..' in name.split('/') or layer not in LAYERS:
        return False
    for rule in LAYERS[layer]:
        if rule == name or (rule.endswith('/') and name.startswith(rule)):
            return True
        if rule == '' and quoted and not first:
            return True
    return False


def faults(layer, path, text):
    for match in INCLUDE.finditer(text):
        name = match.group(1) or match.group(2)
        if not allowed(layer, name, match.group(2) is not None):
            line = text.count('\n', 0, match.start(1 if match.group(1) else 2)) + 1
            yield f'{path}:{line}: {layer} must not include {name}'


def self_test():
    """The rules refuse what they are there to refuse."""
    bad = [
        ('lib/suffix', '#include "trace/model.h"'),
        ('lib/suffix', '#include <deepprof/trace.h>'),
        ('lib/pattern', '#include "suffix/tree.h"'),
        ('lib/align', '#include "pattern/search.h"'),
        ('lib/iterate', '#include "loops/loops.h"'),
        ('lib/loops', '#include "trace/builder.h"'),
        ('lib/base', '#include <deepprof/trace.h>'),
        ('lib/trace', '#include <sqlite3.h>'),
        ('lib/diagnose', '#include <deepprof/trace.h>'),
        ('lib/diagnose', ' # include "trace/model.h"'),
        ('lib/report', '#include "metric/metric.h"'),
        ('lib/stats', '#include <deepprof/trace.h>'),
        ('lib/activity', '#include "metric/metric.h"'),
        ('lib/report', '#include "../trace/model.h"'),
        ('lib/import', '#include "trace/model.h"'),
        ('include/deepprof', '#include <jansson.h>'),
        ('include/deepprof', '#include "base/base.h"'),
        ('cli', '#include "base/base.h"'),
        ('cli', '#include <sqlite3.h>'),
        ('lib/record', '#include "trace/builder.h"'),
        ('cli', '#include "spool/spool.h"'),
        ('lib/new', '#include "base/base.h"'),
        ('lib', '#include "pattern/search.h"'),
        ('lib', '#include <sqlite3.h>'),
        ('collectors/cupti', '#include "base/base.h"'),
        ('collectors/spool', '#include <deepprof/trace.h>'),
        ('collectors/spool', '#include "cupti/collector.h"'),
    ]
    good = [
        ('lib/suffix', '#include "base/base.h"\n#include <deepprof/suffix.h>\n#include <stdio.h>'),
        ('lib/import', '#include <sqlite3.h>\n#include <sys/stat.h>'),
        ('cli', '#include "opt.h"\n#include <deepprof/trace.h>'),
        ('lib', '#include "analysis_model.h"\n#include "loops/loops.h"'),
        ('collectors/cupti', '#include "spool/pool.h"\n#include <pthread.h>'),
    ]
    for layer, text in bad:
        assert list(faults(layer, 'x', text)), f'not refused: {layer}: {text}'
    for layer, text in good:
        assert not list(faults(layer, 'x', text)), f'refused: {layer}: {text}'


def main():
    root = pathlib.Path(sys.argv[1])
    self_test()
    found = []
    count = 0
    for top in ('include/deepprof', 'lib', 'cli', 'collectors'):
        for path in sorted((root / top).rglob('*.[ch]')):
            place = path.relative_to(root)
            layer = str(place.parent)
            count += 1
            found += faults(layer, place, path.read_text(encoding='utf-8'))
    for fault in found:
        print(fault)
    print(f'{count} files, {len(found)} faults')
    return 1 if found or not count else 0


if __name__ == '__main__':
    sys.exit(main())
