"use strict";

/* The page of many ranks: the verdict, ranks by iteration, one iteration on all ranks. */

/* Columns of a row of report.ranks. */
const RANK = 0, HOST = 1, FILE = 2, ITERATIONS = 3, PERIOD = 4, OWN = 5, WAIT = 6, LAST = 7, SHARED = 8,
	OFFSET = 9, RESOLUTION = 10, BLAMED = 11, GPU = 12, PARTS = 13;
const partColors = ["c-busy", "c-comm", "c-h2d", "c-input", "c-host", "c-other"];
const LABELS = 74, TOP = 22;

function median(values) {
	const sorted = values.filter(value => value !== null).sort((a, b) => a - b);

	return sorted.length ? sorted[sorted.length >> 1] : null;
}

function legend(box, entries) {
	box.replaceChildren(...entries.map(([name, fill]) => el("span", null,
		el("i", { style: `background:${fill}` }), name)));
}

/* A canvas as wide as its box, in device pixels. */
function canvas(box, height) {
	const node = box.querySelector("canvas") || el("canvas", { role: "img" });
	const width = Math.max(box.clientWidth, 200), scale = devicePixelRatio || 1;

	box.append(node);
	node.width = width * scale;
	node.height = height * scale;
	node.style.cssText = `display:block;width:${width}px;height:${height}px`;
	const context = node.getContext("2d");
	context.scale(scale, scale);
	context.font = "11px system-ui, sans-serif";
	context.textBaseline = "middle";
	return { context, width, height, node };
}

/* Rows for a number of ranks: thinner if there are many, so that all fit. */
function rowHeight(count) {
	return count <= 24 ? 20 : count <= 64 ? 12 : count <= 256 ? 4 : Math.max(1400 / count < 1 ? 1400 / count : 1, .1);
}

/* Thin rows of blamed ranks are drawn thicker, above the others: [place, rank, top, height]. */
function placeRows(order, height) {
	const rows = order.map((r, i) => {
		const shown = Math.max(height, report.ranks[r][BLAMED] ? 5 : 0);

		return [i, r, TOP + (i + .5) * height - shown / 2, shown];
	});

	return [...rows.filter(row => !report.ranks[row[1]][BLAMED]), ...rows.filter(row => report.ranks[row[1]][BLAMED])];
}

/* "3"; of thin rows only some have labels. */
function labelRows(context, order, height) {
	const every = Math.ceil(14 / height);

	context.textAlign = "right";
	order.forEach((r, i) => {
		const row = report.ranks[r];

		if (i % every && !row[BLAMED])
			return;
		if (row[BLAMED] || !order.slice(Math.max(0, i - every + 1), i + every).some(other => report.ranks[other][BLAMED])) {
			context.fillStyle = color(row[BLAMED] ? "critical" : "quiet");
			context.fillText("rank " + row[RANK], LABELS - 8, TOP + (i + .5) * height);
		}
	});
}

/* ---- The verdict ---- */

function showVerdict() {
	const found = report.kind !== "none";

	byId("facts").replaceChildren(el("h1", null, report.head),
		el("p", { class: "facts" }, report.matching + (report.sources ? "; rank numbers: " + report.sources : "")));
	document.title = "deepprof ranks: " + report.headline;
	byId("foot").textContent = "deepprof " + report.version;
	if (!found) {
		byId("findings-list").replaceChildren(el("p", { class: report.judged ? "good" : "note" }, report.headline),
			report.cause ? el("p", { class: "note" }, report.cause) : "");
		return;
	}
	byId("findings-list").replaceChildren(el("article", { class: "finding critical" },
		el("h3", null, el("span", { class: "badge" }, report.kind.replace(/-/g, " ")), el("span", { class: "title" }, report.headline),
			el("span", { class: "save" }, "costs " + report.cost)),
		report.cause ? el("p", null, "Cause: " + report.cause) : null,
		el("p", { class: "advice" }, "\u2192 " + report.advice),
		report.evidence ? el("div", { class: "evidence" }, el("span", null, report.evidence)) : null));
}

/* ---- Ranks by iteration ---- */

/* Iterations after the last one with a period are left out. */
const columns = report.cells.reduce((most, row) => {
	let last = row.length;

	while (last && row[last - 1] === null)
		last--;
	return Math.max(most, Math.ceil(last / 3));
}, 0);
const drawn = Math.min(columns * report.group, report.iterations);
const map = { values: "excess", order: "rank", column: null };

/* One value per rank and column: 0 period, 1 own time, 2 waiting; in ns. */
function cell(r, c, which) {
	const value = report.cells[r][3 * c + which];

	return value === null || value === undefined ? null : value * 1000;
}

const mapValues = {
	excess: { title: "own time, against the median rank", diverging: true, which: 1,
		text: "Own time is an iteration without waiting for other ranks. Red: longer than the median rank in that iteration." },
	wait: { title: "waiting for other ranks", which: 2,
		text: "Exposed waiting for other ranks: who does not wait is who the others wait for." },
	period: { title: "period", which: 0, diverging: true, overall: true,
		text: "From the start of an iteration to that of the next. Red: longer than the job's median." },
};

function mapOrder() {
	const order = report.ranks.map((_, i) => i);

	return map.order === "rank" ? order : order.sort((a, b) => (report.ranks[b][OWN] || 0) - (report.ranks[a][OWN] || 0) || a - b);
}

/* What cells are compared with: the median rank of each column, or of all. */
function mapBases(values) {
	if (values.overall) {
		const all = median(report.cells.flatMap((_, r) => Array.from({ length: columns }, (_, c) => cell(r, c, values.which))));

		return Array(columns).fill(all);
	}
	return Array.from({ length: columns }, (_, c) => median(report.cells.map((_, r) => cell(r, c, values.which))));
}

function mix(from, to, share) {
	const parse = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
	const a = parse(from), b = parse(to);

	return "rgb(" + a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(",") + ")";
}

function mapColors() {
	return { none: color("card"), base: color("grid"), more: color("critical"), less: color("accent"), wait: color("c-wait-ranks") };
}

/*
 * The value that is drawn in the full colour: what one rank of an iteration typically reaches, so
 * that a straggler stands out from the noise of a thousand ranks. A few pauses must not fade all
 * else, and differences below a hundredth of the period are ignored.
 */
function mapScale(amounts, base) {
	const all = amounts.flat().sort((a, b) => a - b);
	const usual = median(Array.from({ length: columns }, (_, c) => amounts.reduce((most, row) => Math.max(most, row[c]), 0)));

	return Math.max(all[Math.floor(all.length * .99)] || 0, usual || 0, base * .01, 1);
}

function drawMap() {
	const values = mapValues[map.values], order = mapOrder(), bases = mapBases(values), colors = mapColors();
	const height = rowHeight(order.length), { context, width, node } = canvas(byId("map-box"), TOP + order.length * height + 4);
	const step = (width - LABELS - 4) / columns;
	const amounts = report.cells.map((_, r) => Array.from({ length: columns }, (_, c) => {
		const value = cell(r, c, values.which);

		return value === null ? 0 : values.diverging ? Math.abs(value - bases[c]) : value;
	}));
	const most = mapScale(amounts, median(bases) || 1);

	map.layout = { order, height, step, bases, values };
	node.setAttribute("aria-label", `${values.title} of ${order.length} ranks in ${report.iterations} iterations`);
	for (const [, r, top, shown] of placeRows(order, height))
		for (let c = 0; c < columns; c++) {
			const value = cell(r, c, values.which);

			if (value === null)
				continue;
			const share = Math.min((values.diverging ? Math.abs(value - bases[c]) : value) / most, 1);
			context.fillStyle = mix(colors.base, values.diverging ? (value > bases[c] ? colors.more : colors.less) : colors.wait, share);
			context.fillRect(LABELS + c * step, top, Math.max(step - (step > 6 ? 1 : 0), .5), Math.max(shown - (height > 6 ? 1 : 0), .5));
		}
	labelRows(context, order, height);
	context.fillStyle = color("quiet");
	context.textAlign = "center";
	for (const at of ticks(0, drawn - 1, Math.max(2, Math.min(10, width / 90))))
		if (Number.isInteger(at) && at < drawn)
			context.fillText(String(at), LABELS + (Math.floor(at / report.group) + .5) * step, 10);
	if (map.column !== null) {
		context.strokeStyle = color("ink");
		context.lineWidth = 1.5;
		context.strokeRect(LABELS + map.column * step, TOP - 2, step, order.length * height + 3);
	}
	byId("map-text").textContent = values.text + (report.group > 1 ? ` Each column is the mean of ${report.group} iterations.` : "") +
		(drawn < report.iterations ? " Iterations at the end have no period and are left out: a period ends where the next iteration begins." : "") +
		(report.shown.length ? " Click an iteration to see all ranks in it." : "");
	legend(byId("map-legend"), values.diverging
		? [[format.duration(most, 3) + " or more below", colors.less], [values.overall ? "the median" : "as the median rank", colors.base], [format.duration(most, 3) + " or more above", colors.more]]
		: [["none", colors.base], [format.duration(most, 3) + " or more", colors.wait]]);
}

/* The rank and the column under the pointer, or null. */
function mapPlace(event) {
	const box = byId("map-box").getBoundingClientRect(), layout = map.layout;
	const c = Math.floor((event.clientX - box.left - LABELS) / layout.step);
	const i = Math.floor((event.clientY - box.top - TOP) / layout.height);

	return c < 0 || c >= columns || i < 0 || i >= layout.order.length ? null : [layout.order[i], c];
}

function columnText(c) {
	const first = c * report.group, last = Math.min(first + report.group, report.iterations) - 1;

	return first === last ? `iteration ${first}` : `iterations ${first} to ${last}`;
}

function rankText(r) {
	const row = report.ranks[r];

	return `rank ${row[RANK]}` + (row[HOST] ? ` (${clean(row[HOST])})` : "");
}

function hoverMap(event) {
	const at = mapPlace(event);

	if (!at)
		return tip.hide();
	const [r, c] = at, value = which => format.value(cell(r, c, which), "ns");
	const own = cell(r, c, 1), base = median(report.cells.map((_, other) => cell(other, c, 1)));

	tip.show([`${rankText(r)}, ${columnText(c)}`, `period ${value(0)}`,
		`own time ${value(1)}` + (own === null || base === null ? "" : `, ${format.duration(Math.abs(own - base))} ${own < base ? "below" : "above"} the median rank`),
		`waiting ${value(2)}`], event.clientX, event.clientY);
}

function clickMap(event) {
	const at = mapPlace(event);

	if (!at || !report.shown.length)
		return;
	const first = at[1] * report.group, found = report.shown.findIndex(k => k >= first && k < first + report.group);

	if (found >= 0)
		return selectIteration(found);
	map.column = at[1];
	drawMap();
	byId("lanes-text").textContent = `The page has no room for the collectives of ${columnText(at[1])}; --format=perfetto has those of all iterations.`;
}

function showMap() {
	if (!columns)
		return void (byId("map").hidden = true);
	byId("map-values").append(...Object.entries(mapValues).map(([value, { title }]) => el("option", { value }, title)));
	byId("map-values").onchange = event => { map.values = event.target.value; drawMap(); };
	byId("map-order").onchange = event => { map.order = event.target.value; drawMap(); };
	byId("map-box").addEventListener("pointermove", hoverMap);
	byId("map-box").addEventListener("pointerleave", tip.hide);
	byId("map-box").addEventListener("click", clickMap);
	drawMap();
}

/* ---- One iteration on all ranks ---- */

const time = new Range(100);
const lanes = { shown: 0, rows: [] };

/* Rows of an iteration: rank, start, period, calls of [start, duration, waiting, kind, group]. */
function lanesOf(shown) {
	return report.lanes.map(([r, starts, calls]) => {
		const own = [];

		for (let i = 0; i < calls.length; i += 6)
			if (calls[i] === shown)
				own.push(calls.slice(i + 1, i + 6));
		return { r, start: starts[2 * shown], period: starts[2 * shown + 1], calls: own };
	});
}

function selectIteration(shown) {
	const k = report.shown[shown];

	lanes.shown = shown;
	lanes.rows = lanesOf(shown);
	map.column = Math.floor(k / report.group);
	byId("lanes-select").value = shown;
	byId("lanes-text").textContent = lanesText(k);
	const ends = lanes.rows.flatMap(row => [row.start === null ? 0 : row.start + (row.period || 0), ...row.calls.map(call => call[0] + call[1])]);
	time.limit(Math.min(0, ...lanes.rows.flatMap(row => row.calls.slice(0, 1).map(call => call[0]))), ends.reduce((a, b) => Math.max(a, b), 1));
	time.all();
	drawMap();
}

/* The others wait for the rank that waits least. */
function lanesText(k) {
	const waits = lanes.rows.filter(row => row.calls.length).map(row => [row.calls.reduce((sum, call) => sum + call[2], 0), row.r]).sort((a, b) => a[0] - b[0]);
	const some = report.lanes.length < report.ranks.length ? ` ${report.lanes.length} of ${report.ranks.length} ranks are shown.` : "";

	if (waits.length < 2)
		return `Iteration ${k}.${some}`;
	return `Iteration ${k}: ${rankText(waits[0][1])} waits least in its collectives, ${format.duration(waits[0][0])}; ` +
		`the median rank waits ${format.duration(waits[waits.length >> 1][0])}.${some}`;
}

function lanesArea() {
	return { left: LABELS, right: Math.max(byId("lanes-box").clientWidth - 4, LABELS + 50), top: TOP, bottom: byId("lanes-box").clientHeight };
}

function lanesValue(place) {
	const { left, right } = lanesArea();

	return time.from + (place - left) / (right - left) * (time.to - time.from);
}

function drawLanes() {
	const rows = lanes.rows, height = rowHeight(rows.length);
	const { context, width, node } = canvas(byId("lanes-box"), TOP + rows.length * height + 4);
	const x = value => LABELS + (value - time.from) / (time.to - time.from) * (width - LABELS - 4);
	const box = (from, to, top, shown, fill) => {
		const left = Math.max(x(from), LABELS), right = Math.min(x(to), width - 4);

		if (right < LABELS || left > width - 4)
			return;
		context.fillStyle = fill;
		context.fillRect(left, top + (height > 6 ? 1 : 0), Math.max(right - left, .4), Math.max(shown - (height > 6 ? 2 : 0), .5));
	};
	const own = color("c-range"), wait = color("c-wait-ranks"), communication = color("c-comm");

	node.setAttribute("aria-label", byId("lanes-text").textContent);
	for (const [i, , top, shown] of placeRows(rows.map(row => row.r), height)) {
		const row = rows[i];

		if (shown > height)
			box(time.from, time.to, top, shown, color("card"));
		if (row.start !== null)
			box(row.start, row.start + (row.period || 0), top, shown, own);
		/* waiting is drawn first, so that it hides no communication */
		for (const [start, duration, waiting] of row.calls)
			box(start, start + Math.min(waiting, duration), top, shown, wait);
		for (const [start, duration, waiting] of row.calls)
			box(start + Math.min(waiting, duration), start + duration, top, shown, communication);
	}
	labelRows(context, rows.map(row => row.r), height);
	context.fillStyle = color("quiet");
	context.strokeStyle = color("line");
	context.textAlign = "center";
	for (const at of ticks(time.from, time.to, Math.max(2, Math.min(8, width / 120)))) {
		context.fillText(format.round(at, "ns"), Math.min(x(at), width - 24), 10);
		context.beginPath();
		context.moveTo(x(at), TOP - 4);
		context.lineTo(x(at), TOP);
		context.stroke();
	}
	byId("time-range").textContent = `${format.duration(time.from)} to ${format.duration(time.to)}`;
}

function hoverLanes(event) {
	const box = byId("lanes-box").getBoundingClientRect(), height = rowHeight(lanes.rows.length);
	const at = lanesValue(event.clientX - box.left), row = lanes.rows[Math.floor((event.clientY - box.top - TOP) / height)];

	if (!row || event.clientX - box.left < LABELS)
		return tip.hide();
	/* the one that began last, which is drawn on top */
	const slack = (time.to - time.from) / 600;
	const call = row.calls.filter(([start, duration]) => start - slack <= at && at <= start + duration + slack).pop();

	tip.show(call ? [`${rankText(row.r)}: ${report.kinds[call[3]]}, ${format.duration(call[1])}`,
		`${format.duration(Math.min(call[2], call[1]))} of it waiting for other ranks`, `group ${clean(report.groups[call[4]])}`]
		: [`${rankText(row.r)}: no collective here`, `period ${format.value(row.period, "ns")}`], event.clientX, event.clientY);
}

function showLanes() {
	if (!report.shown.length)
		return;
	byId("lanes").hidden = false;
	const order = report.shown.map((k, i) => [k, i]).sort((a, b) => a[0] - b[0]);
	byId("lanes-select").append(...order.map(([k, i]) => el("option", { value: i }, String(k))));
	byId("lanes-select").onchange = event => selectIteration(Number(event.target.value));
	legend(byId("lanes-legend"), [["waiting for other ranks", "var(--c-wait-ranks)"], ["communication", "var(--c-comm)"], ["the rest of the iteration", "var(--c-range)"]]);
	zoomable(byId("lanes-box"), time, lanesValue, lanesArea);
	zoomButtons("time", time);
	time.listeners.push(drawLanes);
	byId("lanes-box").addEventListener("pointermove", hoverLanes);
	byId("lanes-box").addEventListener("pointerleave", tip.hide);
	selectIteration(0);
}

/* ---- Ranks and collectives ---- */

function periodChart() {
	const sets = report.parts.map((label, p) => ({ label, color: partColors[p], points: report.ranks.map((row, i) => [i - .5, row[PARTS + p]]) }));

	sets.push({ label: "waiting for other ranks", color: "c-wait-ranks", points: report.ranks.map((row, i) => [i - .5, row[WAIT]]) });
	legend(byId("periods-legend"), sets.map(set => [set.label, `var(--${set.color})`]));
	return makeChart(byId("periods-chart"), {
		type: "bar", sets, stacked: true, width: 1, gap: report.ranks.length < 200 ? .85 : 1, unit: "ns", low: -.5, high: report.ranks.length - .5,
		whole: true, fromZero: true, xTitle: "rank",
		xText: at => report.ranks[at] ? String(report.ranks[at][RANK]) : "", yText: ns => format.round(ns, "ns"),
		hover: (at, values) => [rankText(Math.round(at + .5)), ...values.filter(([, ns]) => ns > 0).map(([set, ns]) => `${sets[set].label} ${format.duration(ns)}`)],
	});
}

function rankTable() {
	const duration = (title, at, help) => ({ title, number: true, help, value: row => row[at], cell: row => format.value(row[at], "ns") });

	makeTable(byId("rank-table"), [
		{ title: "Rank", number: true, value: row => row[RANK], cell: row => row[BLAMED] ? el("b", null, row[RANK]) : String(row[RANK]) },
		{ title: "Iterations", number: true, value: row => row[ITERATIONS], cell: row => format.count(row[ITERATIONS]) },
		duration("Period", PERIOD, "Median"),
		duration("Own time", OWN, "Mean per iteration, without waiting for other ranks"),
		duration("Waiting", WAIT, "Mean per iteration: waiting for other ranks, not overlapped by compute"),
		{ title: "Last", number: true, help: "Collectives that the rank was the last to reach, of those that synchronize it", value: row => row[LAST],
			cell: row => row[SHARED] ? `${format.count(row[LAST])} of ${format.count(row[SHARED])}` : "\u2013" },
		{ title: "Clock offset", number: true, help: "Against the first rank", value: row => row[OFFSET],
			cell: row => row[OFFSET] === null ? "\u2013" : `${format.duration(row[OFFSET], 3)} \u00b1 ${format.duration(row[RESOLUTION], 2)}` },
		...(report.ranks.some(row => row[GPU] !== null) ? [{ title: "GPU", number: true, help: "In its file", value: row => row[GPU], cell: row => row[GPU] === null ? "\u2013" : String(row[GPU]) }] : []),
		...(report.ranks.some(row => row[HOST]) ? [{ title: "Host", value: row => row[HOST], cell: row => el("bdi", null, clean(row[HOST])) }] : []),
		{ title: "File", value: row => row[FILE], cell: row => el("bdi", null, clean(row[FILE])), class: "name" },
	], report.ranks, { filter: row => `${row[RANK]} ${row[HOST]} ${row[FILE]}`, limit: 16, sort: [3, true] });
}

function collectiveTable() {
	if (!report.collectives.length)
		return;
	byId("collectives").hidden = false;
	makeTable(byId("collective-table"), [
		{ title: "Kind", value: row => row[0], cell: row => row[0] },
		{ title: "Group", value: row => row[1], cell: row => el("bdi", null, clean(row[1])), class: "name" },
		{ title: "Members", number: true, value: row => row[2], cell: row => row[2] ? format.count(row[2]) : "\u2013" },
		{ title: "Calls", number: true, value: row => row[3], cell: row => format.count(row[3]) },
		{ title: "Size", number: true, value: row => row[4], cell: row => format.value(row[4], "bytes") },
		{ title: "Own time", number: true, help: "Median time that one takes by itself: the shortest of all ranks", value: row => row[5], cell: row => format.value(row[5], "ns") },
		{ title: "Waiting", number: true, help: "Mean per call and rank", value: row => row[6], cell: row => format.value(row[6], "ns") },
		{ title: "Bus bandwidth", number: true, help: "As nccl-tests report it", value: row => row[7], cell: row => format.value(row[7], "bytes/s") },
	], report.collectives, { filter: row => row[0] + " " + row[1], limit: 12, sort: [6, true] });
}

function leftTable() {
	if (!report.left_out.length)
		return;
	byId("left").hidden = false;
	makeTable(byId("left-table"), [
		{ title: "File", value: row => row[0], cell: row => el("bdi", null, clean(row[0])), class: "name" },
		{ title: "Why", value: row => row[1], cell: row => clean(row[1]) },
	], report.left_out, { limit: 20 });
}

function start() {
	showVerdict();
	showMap();
	showLanes();
	const chart = periodChart();
	rankTable();
	collectiveTable();
	leftTable();
	const draw = () => {
		if (columns)
			drawMap();
		if (report.shown.length)
			drawLanes();
		chart.draw();
	};
	redraw(draw);
}

start();
