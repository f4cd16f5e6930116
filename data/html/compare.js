"use strict";

/* The page of a comparison: the verdicts of all pairs of loops, and one pair at a time. */

/* Indices of the members of a difference, relative to its begin in a row. */
const BEFORE = 0, AFTER = 1, CHANGE = 2, LOW = 3, HIGH = 4, SURE = 5;
const zoom = new Range(1), time = new Range(200);
const runColors = ["c-other", "accent"];
const page = { pair: null, charts: [] };

function fileName(path) {
	return clean(path).split("/").pop() || "a trace";
}

/* "+1.234 ms"; shares change by percentage points. */
function signed(value, unit) {
	const size = unit === "1" ? `${(Math.abs(value) * 100).toFixed(1)} pp` : format.value(Math.abs(value), unit);

	return known(value) ? (value < 0 ? "\u2212" : "+") + size : "";
}

function showFacts() {
	const names = report.runs.map(run => fileName(run.trace.path));

	document.title = `${names[0]} \u2192 ${names[1]} \u2013 deepprof`;
	byId("facts").replaceChildren(...report.runs.map(run => {
		const devices = [...new Set(run.devices.map(device => clean(device.name)).filter(Boolean))].join(", ");

		return el("p", { class : "facts" },
			  el("span", null, el("b", null, run.run), " ",
			     el("bdi", null, clean(run.trace.path))),
			  el("span", null,
			     gpusOf(run) + (devices ? ` (${devices})` : "")),
			  el("span", null, `${format.duration(run.trace.duration)} captured`),
			  ...run.trace.losses.map(([ reason ]) =>
							  el("span", { class : "note" },
							     "Incomplete: " + clean(reason))));
	}));
	byId("foot").textContent = `deepprof ${report.version}. Nothing on this page is loaded from elsewhere.`;
}

function showVerdicts() {
	const details = report.pairs.filter(pair => pair.parts);
	const classes = { faster: "finding better", slower: "finding critical", same: "finding info" };

	byId("verdict-list").replaceChildren(...report.pairs.map((pair, i) => el("article", { class: classes[pair.kind] },
		el("h3", null, el("span", { class: "title" }, pair.headline), el("span", { class: "save quiet" }, pair.parts && details.length > 1
			? el("button", { type: "button", class: "link", click: () => showPair(i) }, pair.loops) : pair.loops)),
		el("p", null, pair.detail),
		el("div", { class: "evidence" }, el("span", null, pair.match), pair.whole ? el("span", null, pair.whole) : null))),
	...report.notes.map(note => el("p", { class: "quiet" }, note)));
	byId("pair-pick").hidden = details.length < 2;
	byId("pair-select").append(...details.map((pair, i) => el("option", { value: i }, `${pair.loops}: ${pair.headline}`)));
	byId("pair-select").onchange = event => showPair(Number(event.target.value));
}

/* The periods that medians and means include: [iteration, period]. */
function periods(loop) {
	return loop.series.y.map((value, i) => [loop.series.x ? loop.series.x[i] : i, value]).filter(point => point[1] !== null);
}

/* What the chart of periods leaves out. */
function excluded(loops) {
	const sum = key => loops.reduce((total, loop) => total + loop[key], 0), interrupted = sum("interrupted");
	const words = [sum("warmup") ? "warm-up" : "",
		interrupted ? `${interrupted} ${interrupted > 1 ? "periods" : "period"} with other kernels between two iterations` : ""].filter(Boolean);

	return words.length ? el("span", { class: "quiet" }, "without " + words.join(", and without ")) : "";
}

function showPeriods(loops) {
	const sets = loops.map((loop, i) => ({ label: report.runs[i].run, color: runColors[i], points: periods(loop) }));
	const last = Math.max(...sets.flatMap(set => set.points.map(point => point[0])), 0);
	const frame = el("div", { class: "chart", role: "img", "aria-label": "Periods of both runs" });

	byId("periods").hidden = !last;
	byId("periods-chart").replaceChildren(frame);
	if (!last)
		return;
	zoom.limit(0, last);
	page.charts.push(makeChart(frame, {
		type: "line", sets, unit: "ns", range: zoom, whole: true, fromZero: true,
		xText: value => Number.isInteger(value) ? format.count(value) : "", yText: value => format.round(value, "ns"),
		hover: (k, found) => [`iteration ${k}`, ...found.map(([i, value]) => `${sets[i].label}: ${format.duration(value)}`)],
	}));
	byId("periods-legend").replaceChildren(...sets.map(set => key(set.color, set.label)),
		excluded(loops));
	zoomText();
}

/* Columns for a difference that begins at an index of the row. */
function differenceColumns(at, unit) {
	const cell = (row, i) => known(row[at + i]) ? format.value(row[at + i], unit(row)) : "";
	const better = row => !row[at + SURE] ? "num quiet" : row[at + CHANGE] < 0 ? "num faster" : "num slower";

	return [
		{ title: "Before", number: true, value: row => row[at + BEFORE], cell: row => cell(row, BEFORE) },
		{ title: "After", number: true, value: row => row[at + AFTER], cell: row => cell(row, AFTER) },
		{ title: "Change", number: true, value: row => Math.abs(row[at + CHANGE]), help: "Coloured where it is significant",
			cell: row => el("span", { class: unit(row) === "ns" ? better(row) : null }, signed(row[at + CHANGE], unit(row))) },
		{ title: `${report.confidence * 100}% CI`, number: true, value: row => row[at + LOW],
			cell: row => known(row[at + LOW]) && known(row[at + HIGH]) ? `${signed(row[at + LOW], unit(row))} to ${signed(row[at + HIGH], unit(row))}` : "" },
	];
}

/* Stacked bars on one scale, and the table that explains them. */
function showParts(pair) {
	const period = pair.parts[pair.parts.length - 1], parts = pair.parts.slice(0, -1);
	const at = 2, most = period ? Math.max(period[at + BEFORE], period[at + AFTER]) : 0;
	const seen = parts.filter(part => Math.max(part[at + BEFORE], part[at + AFTER]) > 0);

	byId("parts").hidden = !seen.length;
	if (!seen.length)
		return;
	byId("parts-bars").replaceChildren(...report.runs.flatMap((run, i) => [
		el("div", { class: "lane-head" }, el("h3", null, run.run), el("span", null, format.duration(period[at + i]))),
		el("div", { class: "stack", style: `width:${100 * period[at + i] / most}%` }, ...seen.map(part => el("div",
			{ style: `flex:${part[at + i]} 1 0;background:var(--${metricColors[part[0]] || "c-idle"})`,
				title: `${part[1]}: ${format.duration(part[at + i])}` },
			...(part[at + i] > most * .08 ? barText(format.duration(part[at + i])) : []))))]));
	makeTable(byId("parts-table"), [
		{ title: "Part", value: row => row[1], cell: row => row === period ? el("b", null, row[1]) : key(metricColors[row[0]] || "c-idle", row[1]), class: "part" },
		...differenceColumns(at, () => "ns"),
	], [...seen, period], { sort: [null, false] });
}

function showTimelines(loops) {
	const lines = loops.map(loop => (loop.timelines || [])[0]);
	const held = lines.filter(Boolean);

	byId("timeline").hidden = !held.length;
	byId("timelines").replaceChildren();
	time.listeners = [timeText];
	time.limit(0, Math.max(...held.map(line => line.length), 1));
	lines.forEach((line, i) => {
		const frame = el("div", { class: "timeline" });

		if (!line)
			return;
		byId("timelines").append(el("div", { class: "lane-head" }, el("h3", null, `${report.runs[i].run}: iteration ${line.k}`),
			el("span", null, format.duration(line.length)), idleText(line)), frame);
		new Timeline(frame, line, time, report.runs[i]);
	});
	byId("legend").replaceChildren(...timelineLegend(held));
	timeText();
}

/* A kernel's name; both names if another kernel replaced it. */
function kernelCell(row) {
	const one = name => clean(name[0]) === clean(name[1]) ? el("bdi", null, clean(name[0]))
		: el("details", null, el("summary", null, el("bdi", null, clean(name[0]))), el("div", null, el("bdi", null, clean(name[1]))));

	return row[0] === "replaced" ? el("span", null, one(row[1]), "\u2192 ", one(row[2])) : one(row[1] || row[2]);
}

function showKernels(pair) {
	const kind = 0, calls = 3, at = 5;
	const single = !pair.kernels.some(row => row[kind]);
	const count = value => Math.abs(value - Math.round(value)) < .005 ? String(Math.round(value)) : value.toFixed(2);

	byId("kernels").hidden = !pair.kernels.length;
	byId("kernels-title").textContent = single ? "Kernels: mean time of one call" : "Kernels per iteration";
	if (!pair.kernels.length)
		return;
	makeTable(byId("kernel-table"), [
		{ title: "Name", value: row => clean((row[1] || row[2])[0]), cell: kernelCell, class: "name" },
		...(single ? [] : [{ title: "Change", value: row => row[kind], cell: row => row[kind] },
		{ title: "Calls", number: true, value: row => row[calls + 1] - row[calls], help: "Per iteration",
			cell: row => count(row[calls]) === count(row[calls + 1]) ? count(row[calls]) : `${count(row[calls])} \u2192 ${count(row[calls + 1])}` }]),
		...differenceColumns(at, () => "ns"),
	], pair.kernels, { filter: row => [row[1], row[2]].filter(Boolean).map(name => name[1]).join(" "), limit: 20, sort: [single ? 3 : 5, true] });
}

function showFindings(pair)
{
	byId("findings").hidden = !pair.findings.length;
	byId("findings-list").replaceChildren(...pair.findings.map(([change, rule, before, after, cost, says, advice]) => {
		const severity = before && after && before !== after ? `${before} \u2192 ${after}` : after || before;

		return el("article", { class : `finding ${change === "gone" ? "better" : after}` },
			  el("h3", null, el("span", { class : "badge" }, `${change}: ${severity}`),
			     el("span", { class : "title" }, rule), cost ? el("span", { class : "save" }, cost) : null),
			  el("p", null, says),
			  change === "gone" ? null
					    : el("p", { class : "advice" }, "\u2192 " + advice));
	}));
}

function showMetrics(pair) {
	byId("metrics").hidden = !pair.metrics.length;
	if (!pair.metrics.length)
		return;
	makeTable(byId("metric-table"), [
		{ title: "Metric", value: row => title(row[0]), cell: row => el("span", { title: row[8] }, title(row[0])) },
		...differenceColumns(2, row => row[1]),
	], pair.metrics, { filter: row => title(row[0]), limit: 10, sort: [null, false] });
}

function showPair(i) {
	const loops = report.runs.map(run => run.loops[i]);

	page.charts.forEach(chart => chart.free());
	page.charts = [];
	page.pair = report.pairs[i];
	byId("pair-select").value = i;
	showPeriods(loops);
	showParts(page.pair);
	showTimelines(loops);
	showKernels(page.pair);
	showFindings(page.pair);
	showMetrics(page.pair);
}

function timeText() {
	byId("time-range").textContent = time.whole ? "whole iterations" : `${format.duration(time.from)} to ${format.duration(time.to)}`;
}

function zoomText() {
	byId("zoom-range").textContent = zoom.whole ? "all iterations" : `iterations ${Math.ceil(zoom.from)}\u2013${Math.floor(zoom.to)}`;
}

function drawAll() {
	page.charts.forEach(chart => chart.draw());
	time.listeners.forEach(listener => listener());
}

showFacts();
showVerdicts();
zoomButtons("zoom", zoom);
zoomButtons("time", time);
zoom.listeners.push(() => {
	page.charts.forEach(chart => chart.draw());
	zoomText();
});
if (report.pairs.length)
	showPair(0);
redraw(drawAll);
