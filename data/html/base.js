"use strict";

/* Shared helpers: the report, elements, and numbers for people. */

const report = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const known = value => value !== null && value !== undefined;

/*
 * Names are hostile: characters that are invisible, or change the direction of writing, are
 * replaced.
 */
function clean(text) {
	return String(text).replace(
		/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
		"\ufffd");
}

/*
 * Makes an element from attributes, handlers (functions) and children; strings become text nodes.
 */
function el(tag, attributes, ...children) {
	const node = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (typeof value === "function")
			node.addEventListener(key, value);
		else if (value !== null && value !== undefined && value !== false)
			node.setAttribute(key, value === true ? "" : value);
	}
	node.append(...children.filter(child => child !== null && child !== undefined));
	return node;
}

function svg(tag, attributes, text) {
	const node = document.createElementNS("http://www.w3.org/2000/svg", tag);

	for (const key in attributes)
		node.setAttribute(key, attributes[key]);
	if (text !== undefined)
		node.textContent = text;
	return node;
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* Formats with this many significant digits; digits before the point are never dropped. */
function digits(value, most) {
	const size = Math.abs(value), limit = 10 ** most;
	let decimals = most - 1;

	/* rounded before it is written: 801.55 is slightly less in binary, and the text report has 801.6 */
	while (decimals && Math.round(size * 10 ** decimals) >= limit)
		decimals--;
	return (value < 0 ? "-" : "") + (Math.round(size * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
}

/* "10 min 16 s", "2 h 05 min" */
function longDuration(seconds) {
	const two = value => String(Math.floor(value)).padStart(2, "0");

	return seconds >= 3600 ? `${Math.floor(seconds / 3600)}\u00a0h ${two(seconds / 60 % 60)}\u00a0min`
		: `${Math.floor(seconds / 60)}\u00a0min ${two(seconds % 60)}\u00a0s`;
}

const format = {
	count: value => Math.round(value).toLocaleString("en-US"),
	duration(ns, most = 4) {
		const units = ["ns", "\u00b5s", "ms", "s"];
		let unit = 0, value = Math.abs(ns);

		for (; unit < 3 && value >= 999.95; unit++)
			value /= 1000;
		if (unit === 3 && value >= 120)
			return (ns < 0 ? "\u2212" : "") + longDuration(Math.round(value));
		const text = unit || Math.abs(value - Math.round(value)) >= .05 ? digits(value, most) : String(Math.round(value));
		return (ns < 0 ? "\u2212" : "") + text + "\u00a0" + units[unit];
	},
	bytes(bytes) {
		const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
		let unit = 0, value = Math.abs(bytes);

		for (; unit < 5 && value >= 1000; unit++)
			value /= 1024;
		return (bytes < 0 ? "\u2212" : "") + (unit ? digits(value, 4) : String(Math.round(value))) +
			"\u00a0" + units[unit];
	},
	/* in powers of 1000, as the text report's */
	rate(value, name) {
		let unit = 0;

		for (; unit < 6 && value >= 999.95; unit++)
			value /= 1000;
		return (unit ? digits(value, 4) : String(Math.round(value))) + "\u00a0" + " kMGTPE"[unit].trim() + name;
	},
	share(share) {
		const percent = Math.abs(share) * 100;

		return (share < 0 ? "\u2212" : "") + (percent && percent < .1 ? "<0.1" :
			percent === 0 || percent === 100 ? String(percent) : percent.toFixed(1)) + "%";
	},
	/* for axes: drops trailing zeros after the point */
	round(value, unit) {
		return format.value(value, unit).replace(/\.(\d*?)0+(?=\D|$)/, (all, kept) => kept ? "." + kept : "");
	},
	value(value, unit) {
		if (value === null || value === undefined || !isFinite(value))
			return "\u2013";
		switch (unit) {
		case "ns": return format.duration(value);
		case "bytes": return format.bytes(value);
		case "bytes/s": return format.rate(value, "B/s");
		case "FLOP/s": return format.rate(value, unit);
		case "1": return format.share(value);
		case "count": return Number.isInteger(value) ? format.count(value) : digits(value, 4);
		}
		return digits(value, 4) + "\u00a0" + unit;
	},
};

/* "avg interval" for "avg_interval_ns"; some names need more words to be clear. */
function title(name) {
	return name.replace(/_operation_ns$/, "_operation_gap")
		.replace(/size_bytes$|h2d_bytes$/, "upload_size").replace(/d2h_bytes$/, "download_size")
		.replace(/_(ns|bytes|count)$/, "").replace(/_/g, " ")
		.replace(/\bh2d\b/, "H2D").replace(/\bd2h\b/, "D2H").replace(/\bd2d\b/, "D2D");
}

/* An entry of a legend: a colour and what it means. */
function key(paint, text, help) {
	return el("span", { title: help }, el("i", { style: `background:var(--${paint})` }), text);
}

/* The text of a bar, which the bar hides unless all of it fits: it may wrap after the first character. */
function barText(text) {
	return ["\u200b", el("span", null, text)];
}

function plural(count, noun) {
	return format.count(count) + " " + noun + (count === 1 ? "" : "s");
}

/* "8 GPUs", of the report or of one of its runs. "1 GPU" next to "GPU 2" would be read as two. */
function gpusOf(of) {
	const only = of.devices.length === 1 && of.devices[0].id > 0;

	return only ? "GPU " + of.devices[0].id : plural(of.trace.gpus, "GPU");
}

/* The short form of a name and the full one, from the report or from one of its runs. */
function shortName(index, of = report) {
	const name = of.names[index];

	return name === undefined ? "" : clean(typeof name === "string" ? name : name[0]);
}

function fullName(index, of = report) {
	const name = of.names[index];

	return name === undefined ? "" : clean(typeof name === "string" ? name : name[1]);
}

function deviceName(index) {
	const device = report.devices[index];
	const same = report.devices.filter(other => other.id === device.id).length > 1;
	let text = "GPU" + (device.id >= 0 ? " " + device.id : "");

	if (device.rank >= 0 && report.devices.length > 1)
		text += ` (rank ${device.rank})`;
	else if (device.pid >= 0 && (same || report.devices.length > 1))
		text += ` (pid ${device.pid})`;
	return text;
}

function streamName(index, of = report) {
	const stream = of.streams[index];

	return "stream " + (stream[2] >= 0 ? stream[2] : "?");
}

/* A tooltip next to the pointer. */
const tip = {
	show(lines, x, y) {
		const box = byId("tip");

		box.replaceChildren(...lines.map(line => el("div", null, line)));
		box.hidden = false;
		const width = box.offsetWidth, height = box.offsetHeight;
		box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 8)) + "px";
		box.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18) + "px";
	},
	hide() {
		byId("tip").hidden = true;
	},
};

/* A range [from, to] inside [low, high] that several drawings share; listeners redraw. */
class Range {
	constructor(least) {
		this.least = least;
		this.listeners = [];
		this.limit(0, 1);
	}
	limit(low, high) {
		this.low = low;
		this.high = Math.max(high, low + this.least);
		this.from = this.low;
		this.to = this.high;
	}
	set(from, to) {
		const length = Math.min(Math.max(to - from, this.least), this.high - this.low);

		from = Math.min(Math.max(from + (to - from - length) / 2, this.low), this.high - length);
		this.from = from;
		this.to = from + length;
		this.listeners.forEach(listener => listener());
	}
	all() {
		this.set(this.low, this.high);
	}
	zoom(factor, at = (this.from + this.to) / 2) {
		this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}
	pan(share) {
		const step = (this.to - this.from) * share;

		this.set(this.from + step, this.to + step);
	}
	get whole() {
		return this.from <= this.low && this.to >= this.high;
	}
}

/*
 * Lets a box zoom a range by dragging, double click, pinch and keys. toValue gives the value at a
 * position in the box; area is where values are, in pixels.
 */
function zoomable(box, range, toValue, area) {
	let start = null, mark = null;
	const place = event => {
		const at = area();

		return Math.min(Math.max(event.clientX - box.getBoundingClientRect().left, at.left), at.right);
	};
	const stop = () => {
		start = null;
		if (mark)
			mark.remove();
		mark = null;
	};

	box.tabIndex = 0;
	box.addEventListener("pointerdown", event => {
		if (event.button)
			return;
		start = place(event);
		mark = el("div", { class: "select" });
		box.append(mark);
		box.setPointerCapture(event.pointerId);
	});
	box.addEventListener("pointermove", event => {
		if (start === null)
			return;
		const at = place(event), limits = area();

		mark.style.cssText = `left:${Math.min(start, at)}px;width:${Math.abs(at - start)}px;` +
			`top:${limits.top}px;height:${limits.bottom - limits.top}px;position:absolute;` +
			"background:var(--accent);opacity:.18;pointer-events:none";
	});
	box.addEventListener("pointerup", event => {
		if (start === null)
			return;
		const a = toValue(Math.min(start, place(event))), b = toValue(Math.max(start, place(event)));
		const far = Math.abs(place(event) - start) > 4;

		stop();
		if (far)
			range.set(a, b);
	});
	box.addEventListener("pointercancel", stop);
	box.addEventListener("dblclick", () => range.all());
	box.addEventListener("wheel", event => {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
		range.zoom(event.deltaY > 0 ? 1.25 : .8, toValue(place(event)));
	}, { passive: false });
	box.addEventListener("keydown", event => {
		const actions = {
			ArrowLeft: () => range.pan(-.2),
			ArrowRight: () => range.pan(.2),
			"+": () => range.zoom(.6),
			"=": () => range.zoom(.6),
			"-": () => range.zoom(1 / .6),
			0: () => range.all(),
			Escape: () => range.all(),
		};

		if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		actions[event.key]();
	});
}

function zoomButtons(prefix, range) {
	byId(prefix + "-in").onclick = () => range.zoom(.5);
	byId(prefix + "-out").onclick = () => range.zoom(2);
	byId(prefix + "-all").onclick = () => range.all();
}

/* Redraws when sizes or colours change. */
function redraw(drawAll) {
	let wait = 0;

	addEventListener("resize", () => {
		clearTimeout(wait);
		wait = setTimeout(drawAll, 100);
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
	/* paper is always light */
	addEventListener("beforeprint", () => {
		document.documentElement.dataset.theme = "light";
		drawAll();
	});
	addEventListener("afterprint", () => {
		delete document.documentElement.dataset.theme;
		drawAll();
	});
}
