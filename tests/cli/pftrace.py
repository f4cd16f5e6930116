"""Reads Perfetto's format by its wire encoding alone, for what the tests of the export ask.

Field numbers are those of protos/perfetto/trace/*.proto, which the test with the perfetto package's
own classes holds.
"""
import struct


def fields(data):
    """(number, value) of a message: varints and fixed numbers are ints, the rest bytes."""
    at, end = 0, len(data)

    def varint():
        nonlocal at
        byte = data[at]
        at += 1
        if byte < 128:
            return byte
        value, shift = byte & 127, 0
        while byte > 127:
            byte = data[at]
            at += 1
            shift += 7
            value |= (byte & 127) << shift
        assert shift <= 63
        return value

    while at < end:
        key = varint()
        wire = key & 7
        if wire == 0:
            value = varint()
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            length = varint()
            assert at + length <= end
            value, at = data[at:at + length], at + length
        else:
            raise AssertionError(f"wire type {wire}")
        yield key >> 3, value


def one(message, number, default=None):
    return next((value for field, value in fields(message) if field == number), default)


def every(message, number):
    return [value for field, value in fields(message) if field == number]


def grouped(message):
    """{number: its values}, for messages that are asked for several."""
    found = {}
    for field, value in fields(message):
        found.setdefault(field, []).append(value)
    return found


def signed(value):
    return value - (1 << 64) if value is not None and value >> 63 else value


class Timeline:
    """tracks: id -> {name, parent, …}; slices: [track, start, end, category, name, args, flows,
    ends of flows]; marks, which are the same; counts: track -> [(time, value)]; clocks."""

    def __init__(self, data):
        self.tracks, self.slices, self.marks, self.counts, self.clocks = {}, [], [], {}, {}
        self.names = {kind: {} for kind in (1, 2, 3)}
        self.open = {}
        self.packets = 0
        for number, packet in fields(data):
            assert number == 1
            self.packets += 1
            self.packet(dict(fields(packet)))
        assert not any(self.open.values()), "slices that never end"

    def packet(self, packet):
        assert packet[10] == 1
        assert self.packets > 1 or packet[13] == 1, "the first packet clears what is interned"
        for kind, name in fields(packet.get(12, b"")):
            ident = one(name, 1)
            assert ident and ident not in self.names[kind], "written once"
            self.names[kind][ident] = one(name, 2, b"").decode()
        if 6 in packet:
            self.clocks = {one(clock, 1): one(clock, 2) for clock in every(packet[6], 1)}
        if 60 in packet:
            self.track(packet[60])
        if 11 in packet:
            self.event(packet.get(8), packet.get(13, 0), packet[11])

    def track(self, track):
        ident = one(track, 1)
        assert ident and ident not in self.tracks
        parent = one(track, 5)
        assert parent is None or parent in self.tracks
        owner = one(track, 3) or one(track, 4)
        name = one(track, 2)
        if one(track, 3) is not None:
            name = one(owner, 6)
        elif one(track, 4) is not None:
            name = one(owner, 5)
        self.tracks[ident] = {"name": (name or b"").decode(), "parent": parent,
                              "process": one(track, 3) is not None,
                              "thread": one(track, 4) is not None,
                              "counter": one(track, 8) is not None, "rank": signed(one(track, 12))}

    def event(self, time, flags, event):
        event = grouped(event)
        (kind,), (track,) = event[9], event[11]
        assert track in self.tracks and time is not None and time < 1 << 63
        stack = self.open.setdefault(track, [])
        if kind == 2:
            slice_ = stack.pop()
            assert slice_["start"] <= time
            slice_["end"] = time
            return
        if kind == 4:
            assert self.tracks[track]["counter"]
            value = signed(event[30][0]) if 30 in event else struct.unpack(
                "<d", struct.pack("<Q", event[44][0]))[0]
            self.counts.setdefault(track, []).append((time, value))
            return
        assert flags == 2, "what is interned is needed"
        args = {}
        for note in event.get(4, []):
            name = self.names[3][one(note, 1)] if one(note, 1) else one(note, 10).decode()
            text, real = one(note, 6), one(note, 5)
            args[name] = text.decode() if text is not None else \
                struct.unpack("<d", struct.pack("<Q", real))[0] if real is not None else \
                signed(one(note, 4))
        made = {"track": track, "start": time, "end": None, "args": args,
                "category": self.names[1][event[3][0]],
                "name": self.names[2][event[10][0]] if 10 in event else event[23][0].decode(),
                "flows": event.get(47, []), "flow_ends": event.get(48, [])}
        if kind == 3:
            self.marks.append(made)
            return
        assert kind == 1
        assert not stack or stack[-1]["start"] <= time
        stack.append(made)
        self.slices.append(made)

    def of(self, category):
        return [s for s in self.slices if s["category"] == category]

    def under(self, track, name):
        """Does a track of that name lie above it, or is it one?"""
        while track is not None:
            if self.tracks[track]["name"] == name:
                return True
            track = self.tracks[track]["parent"]
        return False
