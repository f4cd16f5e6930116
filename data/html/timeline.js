"use strict";

/* Timelines as SVG: one per iteration, all on one scale that can be zoomed. */

/* Classes of operations and calls, as the library numbers them: names and colours. */
const opClasses = [
	["kernel", "c-busy"], ["communication", "c-comm"], ["copy to the device", "c-h2d"],
	["copy to the host", "c-d2h"], ["copy", "c-copy"], ["memset", "c-set"], ["graph", "c-graph"],
];
const callClasses = [
	[ "call", "c-call" ],
	[ "launch", "c-call-launch" ],
	[ "copy call", "c-call-copy" ],
	[ "memset call", "c-call-set" ],
	[ "synchronizing call", "c-call-sync" ],
	[ "memory call", "c-memory" ],
	[ "graph capture", "c-call-capture" ],
	[ "code loading", "c-call-load" ],
];
/* Causes of idle time: the text report's words, the full text, and a colour. */
const idleCauses = [
	["host wait", "the host had not launched the next operation", "c-host"],
	["sync wait", "the host was waiting for the device before it launched more", "c-sync"],
	["host in copies", "the host was in the call of a copy", "c-wait-copy"],
	["launch latency", "the call that launches what is next had begun; short gaps", "c-launch"],
	["idle otherwise", "the trace does not tell why", "c-other"],
	["input wait", "the host had not launched the upload of the input", "c-input"],
];
const rangeKinds = ["NVTX range", "annotation", "operator"];
/* "idle 75.7 ms (42.9%): host wait 73.3 ms, launch latency 1.7 ms" */
function idleText(line) {
	const causes = line.causes.map((ns, i) => [ns, i]).filter(pair => pair[0] > 0).sort((a, b) => b[0] - a[0]);
	const known = causes.some(pair => pair[1] !== 4);

	return el("span", { class: "quiet" }, `idle ${format.duration(line.idle)} (${format.share(line.idle / line.length)})` +
		(known ? ": " + causes.map(([ns, i]) => `${idleCauses[i][0]} ${format.duration(ns)}`).join(", ") : ""));
}

/* The legend of timelines, without operators and calls if those are obvious. */
function timelineLegend(lines) {
	const every = (lists, from, step) => [...new Set(lists.flatMap(list => list.filter((_, i) => i % step === from)))].sort((a, b) => a - b);
	const classes = every(lines.flatMap(line => line.lanes.map(lane => lane.ops)), 3, 6);
	const calls = every(lines.flatMap(line => line.threads.map(thread => thread.calls)), 3, 6).filter(i => i >= 4);
	const causes = every(lines.map(line => line.gaps), 2, 3);

	return [...classes.map(i => key(opClasses[i][1], opClasses[i][0])), ...calls.map(i => key(callClasses[i][1], callClasses[i][0])),
		...causes.map(i => key(idleCauses[i][2], idleCauses[i][0], idleCauses[i][1]))];
}

const GUTTER = 132, AXIS = 20, LANE = 22, THIN = 15, IDLE = 18;

class Timeline {
	/* of: the owner of its names and streams */
	constructor(box, data, range, of = report) {
		this.box = box;
		this.data = data;
		this.of = of;
		this.range = range;
		/* threads without content have no rows */
		this.threads = data.threads.map(thread => {
			let depth = 0;

			for (let i = 4; i < thread.ranges.length; i += 5)
				depth = Math.max(depth, thread.ranges[i] + 1);
			return { thread, depth, height: depth * THIN + (thread.calls.length ? THIN + 2 : 0) };
		}).filter(row => row.height);
		this.svg = svg("svg", { role: "img" });
		box.append(this.svg);
		zoomable(box, range, place => this.toValue(place), () => this.area);
		box.addEventListener("pointermove", event => this.hover(event));
		box.addEventListener("pointerleave", tip.hide);
		range.listeners.push(() => this.draw());
		this.draw();
	}
	get hostHeight() {
		return this.threads.reduce((sum, row) => sum + row.height + 6, 0);
	}
	get height() {
		return AXIS + this.hostHeight + IDLE + this.data.lanes.length * (LANE + 4) + 4;
	}
	get area() {
		return { left: GUTTER, right: Math.max(this.box.clientWidth - 6, GUTTER + 50), top: AXIS, bottom: this.height };
	}
	toValue(place) {
		const { left, right } = this.area;

		return this.range.from + (place - left) / (right - left) * (this.range.to - this.range.from);
	}
	x(value) {
		const { left, right } = this.area;

		return left + (value - this.range.from) / (this.range.to - this.range.from) * (right - left);
	}
	/*
	 * A block clipped to the visible range; null if it is outside, or hidden by the one before.
	 */
	rect(start, length, y, height, fill, what) {
		const left = Math.max(this.x(start), GUTTER), right = Math.min(this.x(start + length), this.area.right);

		if (right < GUTTER || left > this.area.right)
			return null;
		const node = svg("rect", { x: left.toFixed(2), y, width: Math.max(right - left, .6).toFixed(2), height, fill });

		node.what = what;
		this.nodes.push(node);
		return { left, width: right - left };
	}
	label(place, y, text, name) {
		const room = Math.floor((place.width - 6) / 7);

		if (room < 4)
			return;
		this.nodes.push(svg("text", { x: place.left + 3, y, class: name || "in" },
			text.length > room ? text.slice(0, room - 1) + "\u2026" : text));
	}
	draw() {
		const data = this.data, width = this.box.clientWidth || 800;
		let y = AXIS + 2;

		this.nodes = [];
		this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
		this.svg.setAttribute("height", this.height);
		this.svg.setAttribute("aria-label", `Timeline of iteration ${data.k}`);
		this.drawAxis();
		for (const { thread, depth, height } of this.threads) {
			this.nodes.push(svg("text", { x: 2, y: y + 11, class: "lane" }, this.fit(clean(thread.name))));
			this.drawRanges(thread.ranges, y);
			this.blocks(thread.calls, y + depth * THIN, THIN - 3, callClasses, "calls");
			y += height + 6;
		}
		y = AXIS + 2 + this.hostHeight;
		this.drawIdle(y);
		y += IDLE;
		for (const lane of data.lanes) {
			this.drawLane(lane, y);
			y += LANE + 4;
		}
		this.drawEnd();
		this.svg.replaceChildren(...this.nodes);
	}
	fit(text) {
		return text.length > 19 ? text.slice(0, 18) + "\u2026" : text;
	}
	drawAxis() {
		const { right } = this.area;
		const far = this.range.to - this.range.from;

		for (const at of ticks(this.range.from, this.range.to, Math.max(2, Math.floor((right - GUTTER) / 130)))) {
			const x = this.x(at);

			this.nodes.push(svg("line", { x1: x, x2: x, y1: AXIS - 4, y2: this.height, stroke: color("grid") }),
				svg("text", { x, y: AXIS - 7, "text-anchor": x > right - 30 ? "end" : "middle" },
					at === 0 ? "0" : far < at / 50 ? format.duration(at, 7) : format.round(at, "ns")));
		}
	}
	drawRanges(ranges, top) {
		for (let i = 0; i < ranges.length; i += 5) {
			const [start, length, name, kind, depth] = ranges.slice(i, i + 5);
			const y = top + depth * THIN;
			const place = this.rect(start, length, y, THIN - 2, color(kind === 2 ? "c-op" : "c-range"),
				{ name, lines: [rangeKinds[kind], format.duration(length)] });

			if (place)
				this.label(place, y + 10, shortName(name, this.of));
		}
	}
	drawLane(lane, y) {
		this.nodes.push(svg("text", { x: 2, y: y + 15, class: "lane" }, streamName(lane.stream, this.of) +
			(this.of.streams[lane.stream][3] === "main" ? " (main)" : "")));
		this.nodes.push(svg("line", { x1: GUTTER, x2: this.area.right, y1: y + LANE + 1.5, y2: y + LANE + 1.5, stroke: color("line") }));
		this.blocks(lane.ops, y, LANE - 2, opClasses, "operations");
	}
	/* Blocks come in order of start. Hidden ones thinner than a pixel are not drawn. */
	blocks(list, y, height, classes, noun) {
		let drawn = -1;
		const pixel = (this.range.to - this.range.from) / (this.area.right - GUTTER);

		for (let i = 0; i < list.length; i += 6) {
			const start = list[i], length = list[i + 1];

			if (start + length < this.range.from || start > this.range.to ||
				(length < pixel && start + length < drawn + pixel / 2))
				continue;
			drawn = Math.max(drawn, start + length);
			const [, , name, kind, count, bytes] = list.slice(i, i + 6);
			const lines = [count > 1 ? `${format.count(count)} ${noun}, too short to be shown apart` : null, classes[kind][0],
				`${format.duration(length)}, from ${format.duration(start)}`, bytes ? format.bytes(bytes) : null];

			this.rect(start, length, y, height, color(classes[kind][1]), { name, lines: lines.filter(Boolean) });
		}
	}
	/*
	 * a lane of its own, and a shade behind the streams; blocks thinner than a pixel may be
	 * hidden
	 */
	drawIdle(y) {
		const { gaps } = this.data, below = this.data.lanes.length * (LANE + 4) + 2;
		const pixel = (this.range.to - this.range.from) / (this.area.right - GUTTER);
		let drawn = -1;

		this.nodes.push(svg("text", { x: 2, y: y + 11, class: "lane" }, "GPU idle"));
		for (let i = 0; i < gaps.length; i += 3) {
			const [start, length, cause] = gaps.slice(i, i + 3), [word, why, paint] = idleCauses[cause];

			if (length < pixel && start + length < drawn + pixel / 2)
				continue;
			const what = { name: -1, lines: [word, why, `${format.duration(length)}, from ${format.duration(start)}`] };
			const place = this.rect(start, length, y, IDLE - 4, color(paint), what);

			if (!place)
				continue;
			drawn = start + length;
			const text = [`${word} ${format.duration(length)}`, word].find(words => words.length * 6.1 < place.width - 6);
			if (text)
				this.label(place, y + 11, text, "on");
			if (place.width >= 2) {
				this.rect(start, length, y + IDLE - 2, below, color(paint), what);
				this.nodes[this.nodes.length - 1].setAttribute("fill-opacity", ".13");
			}
		}
	}
	/* the end of the iteration's last kernel, and the beginning of the next iteration */
	drawEnd() {
		for (const at of [this.data.end, this.data.length]) {
			const x = this.x(at);

			if (x > GUTTER && x <= this.area.right + 1)
				this.nodes.push(svg("line", { x1: x, x2: x, y1: AXIS - 4, y2: this.height, stroke: color("quiet"), "stroke-dasharray": "4 3" }));
		}
	}
	hover(event) {
		const what = event.target.what;

		if (!what)
			return tip.hide();
		tip.show([what.name >= 0 ? fullName(what.name, this.of) : null, ...what.lines].filter(Boolean), event.clientX, event.clientY);
	}
}
