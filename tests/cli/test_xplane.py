"""XSpaces that protobuf's own encoder wrote: what is exported again is what was written.

The encoder is PyPI's protobuf; without it the tests are skipped. The messages are declared here by the
numbers of their fields.
"""
import gzip
import json
import random
import unittest

import cli

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    descriptor_pb2 = None

# Fields: name, number, type; a message's name for one that is in it; "repeated" or "map".
MESSAGES = {
    "XStatMetadata": [("id", 1, "int64"), ("name", 2, "string"), ("description", 3, "string")],
    "XStat": [
        ("metadata_id", 1, "int64"), ("double_value", 2, "double"), ("uint64_value", 3, "uint64"),
        ("int64_value", 4, "int64"), ("str_value", 5, "string"), ("bytes_value", 6, "bytes"),
        ("ref_value", 7, "uint64"),
    ],
    "XEventMetadata": [
        ("id", 1, "int64"), ("name", 2, "string"), ("metadata", 3, "bytes"),
        ("display_name", 4, "string"), ("stats", 5, "XStat", "repeated"),
        ("child_id", 6, "int64", "repeated"),
    ],
    "XEvent": [
        ("metadata_id", 1, "int64"), ("offset_ps", 2, "int64"), ("duration_ps", 3, "int64"),
        ("stats", 4, "XStat", "repeated"), ("num_occurrences", 5, "int64"),
    ],
    "XLine": [
        ("id", 1, "int64"), ("name", 2, "string"), ("timestamp_ns", 3, "int64"),
        ("events", 4, "XEvent", "repeated"), ("duration_ps", 9, "int64"),
        ("display_id", 10, "int64"), ("display_name", 11, "string"),
    ],
    "XPlane": [
        ("id", 1, "int64"), ("name", 2, "string"), ("lines", 3, "XLine", "repeated"),
        ("event_metadata", 4, "XEventMetadata", "map"),
        ("stat_metadata", 5, "XStatMetadata", "map"), ("stats", 6, "XStat", "repeated"),
    ],
    "XSpace": [
        ("planes", 1, "XPlane", "repeated"), ("errors", 2, "string", "repeated"),
        ("hostnames", 4, "string", "repeated"),
    ],
}

T0 = 1_700_000_000_123_456_789


def space_class():
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="x.proto", package="x", syntax="proto3")

    def add(message, name, number, kind, label=None):
        field = message.field.add(name=name, number=number)
        field.label = kinds.LABEL_REPEATED if label else kinds.LABEL_OPTIONAL
        if kind in MESSAGES or kind.startswith("."):
            field.type = kinds.TYPE_MESSAGE
            field.type_name = kind if kind.startswith(".") else ".x." + kind
        else:
            field.type = getattr(kinds, "TYPE_" + kind.upper())

    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, *label in fields:
            if label == ["map"]:
                entry = message.nested_type.add(
                    name="".join(part.title() for part in field.split("_")) + "Entry")
                entry.options.map_entry = True
                add(entry, "key", 1, "int64")
                add(entry, "value", 2, kind)
                add(message, field, number, f".x.{name}.{entry.name}", "repeated")
            else:
                add(message, field, number, kind, *label)
    # A value is written where it is 0, too: it is one of several.
    stat = next(message for message in file.message_type if message.name == "XStat")
    stat.oneof_decl.add(name="value")
    for field in stat.field:
        if field.name.endswith("_value"):
            field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("x.XSpace"))


class Plane:
    """Names of events and stats get numbers as they are used."""

    def __init__(self, space, name):
        self.proto = space.planes.add(id=len(space.planes), name=name)
        self.events, self.stats = {}, {}

    def stat(self, name):
        number = self.stats.setdefault(name, 1 + 3 * len(self.stats))
        self.proto.stat_metadata[number].id = number
        self.proto.stat_metadata[number].name = name
        return number

    def event(self, line, name, offset_ps, duration_ps, **stats):
        number = self.events.setdefault(name, 1 + 7 * len(self.events))
        self.proto.event_metadata[number].id = number
        self.proto.event_metadata[number].name = name
        event = line.events.add(metadata_id=number, offset_ps=offset_ps, duration_ps=duration_ps)
        for key, value in stats.items():
            stat = event.stats.add(metadata_id=self.stat(key))
            if isinstance(value, tuple):
                stat.ref_value = self.stat(value[0])
            elif isinstance(value, float):
                stat.double_value = value
            elif isinstance(value, str):
                stat.str_value = value
            else:
                stat.int64_value = value


@unittest.skipIf(descriptor_pb2 is None, "PyPI's protobuf is not installed")
class Written(cli.Case):
    def write(self, seed):
        """A space of twelve steps, and its operations: (start, length, stream, name)."""
        chance = random.Random(seed)
        space = space_class()(hostnames=["host"])
        metadata = space.planes.add(name="/host:metadata")
        metadata.event_metadata[1].metadata = bytes(3_000_000)
        gpu, host = Plane(space, "/device:GPU:0"), Plane(space, "/host:CPU")
        main = gpu.proto.lines.add(id=20, name="Stream #20(Kernel)", timestamp_ns=T0)
        copy = gpu.proto.lines.add(id=21, name="Stream #21(MemcpyH2D)", timestamp_ns=T0 + 7)
        gpu.proto.lines.add(id=99, name="XLA Ops", timestamp_ns=T0)
        thread = host.proto.lines.add(id=-5 % 2**32, name="python", timestamp_ns=T0)
        made, at, number = [], 5_000_000, 0
        for step in range(12):
            begin = at - 4_000_000
            gpu.event(copy, "MemcpyH2D", at, 900_000, memcpy_details=(
                "kind_src:pinned kind_dst:device size:4096 dest:0 async:1",), correlation_id=1)
            made.append((T0 + 7 + at // 1000, at + 900_000, at, 7, 21, "MemcpyH2D"))
            for kernel in range(20):
                number += 1
                at += chance.randrange(1_100_000, 3_000_000)
                length = chance.randrange(1, 1_000_000)
                name = f"void kernel_{kernel * kernel % 17}<float, é>(int)"
                gpu.event(main, name, at, length, correlation_id=100 + number,
                          theoretical_occupancy_pct=50.0, context_id="$$1",
                          kernel_details=("regs:32",), tf_op=(f"model/op_{kernel}",))
                made.append((T0 + at // 1000, at + length, at, 0, 20, name))
                host.event(thread, "cuLaunchKernel", at - 900_000, 300_000,
                           correlation_id=100 + number, device_id=0)
            host.event(thread, "train", begin, at - begin + 1_000_000, step_num=step)
            at += 40_000_000
        ops = [(start, T0 + shift + end // 1000 - start, stream, name)
               for start, end, _, shift, stream, name in made]
        return space.SerializeToString(), sorted(ops)

    def exported(self, path):
        result = cli.run("export", "--format=chrome", path, "-o", "-", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout, parse_float=str)
        base = document["baseTimeNanoseconds"]
        events = document["traceEvents"]

        def ns(text):
            whole, _, part = str(text).partition(".")
            return int(whole + (part + "000")[:3])

        ops = [
            (base + ns(e["ts"]), ns(e["dur"]), e["tid"], e["name"])
            for e in events
            if e.get("cat") in ("kernel", "gpu_memcpy")
        ]
        return sorted(ops), events

    def check(self, path, ops):
        found, events = self.exported(path)
        self.assertEqual([op[:3] for op in found], [op[:3] for op in ops])
        self.assertEqual([name for *_, name in found if "kernel_" in name],
                         [name for *_, name in ops if "kernel_" in name])
        calls = [e for e in events if e.get("cat") == "cuda_runtime"]
        self.assertEqual(len(calls), sum("kernel_" in op[3] for op in ops))
        operators = {e["name"] for e in events if e.get("cat") == "cpu_op"}
        self.assertEqual({name for name in operators if name.startswith("model/")},
                         {f"model/op_{i}" for i in range(20)})

    def test_equal(self):
        for seed in range(3):
            data, ops = self.write(seed)
            path = self.folder / "run.xplane.pb"
            path.write_bytes(data)
            self.check(path, ops)
            zipped = self.folder / "run.xplane.pb.gz"
            zipped.write_bytes(gzip.compress(data, 1))
            self.check(zipped, ops)

    def test_steps(self):
        path = self.folder / "run.xplane.pb"
        path.write_bytes(self.write(0)[0])
        result = cli.run("analyze", "--format=json", path, cwd=self.folder)
        loop = json.loads(result.stdout)["loops"][0]
        self.assertEqual((loop["found_by"], len(loop["iterations"])), ("marks", 12))
        with open(path, "rb") as file:
            piped = cli.run("analyze", "--format=json", "-", stdin=file, cwd=self.folder)
        self.assertEqual(json.loads(piped.stdout)["loops"], json.loads(result.stdout)["loops"])


if __name__ == "__main__":
    cli.main()
