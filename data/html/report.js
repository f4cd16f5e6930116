"use strict";

/* The page: what was measured, findings, and one loop at a time. */

const zoom = new Range(1), time = new Range(200);
const page = { loop: null, charts: [], picked: [], timeline: null };
const seriesNames = ["period_ns", "interval_ns"];

function metric(index) {
	return report.metrics[index];
}

function fullLoops() {
	return report.loops.filter(loop => loop.series);
}

function showFacts() {
	const trace = report.trace, count = kind => report.streams.reduce((sum, row) => sum + row[kind], 0);
	const name = clean(trace.path).split("/").pop() || "a trace";
	const devices = new Map();

	for (const device of report.devices)
		devices.set(clean(device.name), (devices.get(clean(device.name)) || 0) + 1);
	const names = [...devices].filter(pair => pair[0]).map(([text, n]) => (n > 1 ? n + " \u00d7 " : "") + text).join(", ");
	const fact = (strong, rest) => el("span", null, el("b", null, strong), " " + rest);

	document.title = name + " \u2013 deepprof";
	byId("facts").replaceChildren(
		el("h1", null, el("bdi", null, name)),
		el("p", { class : "facts" },
		   fact(gpusOf(report), names ? `(${names})` : ""),
		   fact(format.duration(trace.duration), "captured"),
		   fact(format.count(trace.operations),
			`operations: ${plural(count(4), "kernel")}, ${
				plural(count(5), "copy").replace("copys", "copies")}, ${
				plural(count(6), "memset")}`),
		   el("span", null,
		      `${(clean(trace.format) + " " + clean(trace.detail)).trim()}, times to ${
			      format.round(trace.resolution, "ns")}`),
		   trace.t0 ? el("span", null,
				 new Date(trace.t0).toISOString().replace("T", " ").slice(0, 19) +
					 " UTC")
			    : null),
		report.scope
			? el("p", { class : "note" },
			     `Analyzed is only ${
				     report.scope}. The numbers above are of the whole capture.`)
			: "",
		trace.paused
			? el("p", { class : "note" },
			     `Recording was off ${plural(trace.paused[0], "time")}, ${
				     format.duration(
					     trace.paused[1])} in all; in no average or finding.`)
			: "",
		...trace.losses.map(
			([ reason, records ]) =>
				el("p", { class : "note" },
				   "Incomplete: " + clean(reason) +
					   (records ? ` (${format.count(records)})` : ""))),
		...trace.inexact.map(
			(reason) => el("p", { class : "note" }, "Inexact: " + clean(reason))));
	byId("foot").textContent = `deepprof ${report.version}. ${clean(trace.path)}. Nothing on this page is loaded from elsewhere.`;
}

/* Is a loop the only one of the level on its GPU, which then identifies it? */
function aloneOnDevice(loop) {
	return report.devices.length > 1 && report.loops.filter(other => other.selected && other.device === loop.device).length === 1;
}

/* " of loop 1" or " on GPU 1" if there are several. */
function ofLoop(loop) {
	if (fullLoops().length <= 1)
		return "";
	return aloneOnDevice(loop) ? ` on ${deviceName(loop.device)}` : ` of loop ${loop.id}`;
}

/* " in loop 1" or " on GPU 0, GPU 1" if there are several places. */
function placeOf(finding) {
	const loop = report.loops[finding.loop];

	if (loop && !ofLoop(loop) || !loop && report.devices.length === 1)
		return "";
	return loop && !aloneOnDevice(loop) ? ` in loop ${loop.id}` : ` on ${finding.devices.slice().sort((a, b) => a - b).map(deviceName).join(", ")}`;
}

function iterationsText([first, last]) {
	return first === last ? `iteration ${first}` : `iterations ${first}\u2013${last}`;
}

/* "iterations 6, 7, 14, 16": those of a finding that is not about all in its range. */
function iterationsOf(finding) {
	const slow = finding.slow, shown = slow.slice(0, 6).join(", ");

	if (slow.length < 2)
		return iterationsText(slow.length ? [slow[0], slow[0]] : finding.iterations);
	const all = finding.evidence.find(([name]) => name === "slow_iterations");
	const more = (all ? all[2] : slow.length) - 6;

	return `iterations ${shown}${more > 0 ? ` and ${format.count(more)} more` : ""}`;
}

function showFinding(finding) {
	const loop = report.loops[finding.loop];
	const save = finding.cost ? el("span", { class: "save" }, finding.cost) : null;

	return el("article", { class: "finding " + finding.severity },
		el("h3", null, el("span", { class: "badge" }, finding.severity), el("span", { class: "title" }, finding.rule + placeOf(finding)), save),
		el("p", { title: (report.rules.find(rule => rule[0] === finding.rule) || ["", ""])[1] }, finding.says),
		el("p", { class: "advice" }, "\u2192 " + finding.advice),
		el("div", { class: "evidence" },
			known(finding.confidence) ? el("span", null, "confidence ", el("b", null, format.share(finding.confidence))) : null,
			loop && loop.series ? el("button", { type: "button", class: "link", click: () => lookAt(finding) },
				iterationsOf(finding)) : null));
}

function showFindings() {
	if (report.findings.length)
		byId("findings-list").replaceChildren(...(fullLoops().length ? [] : noLoops()), ...report.findings.map(showFinding));
	else if (fullLoops().length)
		byId("findings-list").replaceChildren(el("p", { class: report.judged ? "good" : "note" }, report.clean));
	else
		byId("findings-list").replaceChildren(...noLoops());
}

function noLoops() {
	const lines = report.candidates.map(([device, why]) => el("p", null,
		`No stable iteration found on ${deviceName(device)}. ${clean(why)}`));

	return [
		...lines,
		...report.candidates.slice(0, 1).map(([, , advice ]) => el("p", null, advice))
	];
}

/* Allocated device memory over the capture; memory allocated before it is unknown. */
function memoryStrip(device, memory) {
	const most = Math.max(...memory, 1), width = 1200, height = 40, slice = width / memory.length;
	const points = memory.map((bytes, i) => `V${(height * (1 - bytes / most)).toFixed(1)}H${((i + 1) * slice).toFixed(2)}`).join("");
	const node = svg("svg", { class: "strip memory", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
		"aria-label": `Memory allocated on ${deviceName(device)} over the capture` });

	node.append(svg("path", { d: `M0 ${height}${points}V${height}Z` }));
	return [el("span", { class: "quiet" }, `allocated memory, up to ${format.bytes(most)} above its minimum`), node];
}

/* The utilization of each device over the capture, with its loops as bands below. */
function showCapture() {
	const width = 1200, height = 48, duration = report.trace.duration || 1;
	const strips = report.capture.map(([ device, busy, memory, mean ]) => {
		const node = svg("svg", { class: "strip", viewBox: `0 0 ${width} 64`, preserveAspectRatio: "none", role: "img",
			"aria-label": `Utilization of ${deviceName(device)} over the capture` });
		const slice = width / busy.length;
		const points = busy.map((share, i) => `V${(height * (1 - share / 100)).toFixed(1)}H${((i + 1) * slice).toFixed(2)}`).join("");
		const loops = report.loops.filter(loop => loop.device === device && loop.selected && loop.span);

		node.append(svg("path", { class: "busy", d: `M0 ${height}${points}V${height}Z` }));
		loops.forEach((loop, i) => {
			const from = width * Math.max(loop.span[0], 0) / duration;
			const band = svg("rect", { class: i % 2 ? "band other" : "band", x: from.toFixed(2), y: height + 4, height: 10,
				width: Math.max(width * (loop.span[1] - loop.span[0]) / duration, 1).toFixed(2) });

			band.append(svg("title", {}, `loop ${loop.id}: ${plural(loop.complete, "iteration")}, ${format.duration(loop.span[0])} to ${format.duration(loop.span[1])}`));
			if (loop.series)
				band.addEventListener("click", () => selectLoop(loop.id));
			node.append(band);
		});

		return [
			el("div", { class : "lane-head" }, el("h3", null, deviceName(device)),
			   el("span", { class : "quiet" },
			      (known(mean) ? `busy ${format.share(mean)} of ` : "") +
				      `${format.duration(duration)}; ` +
				      (loops.length ? `bands: ${
							      loops.map(loop => `loop ${loop.id}`)
								      .join(", ")}`
						    : "no loop"))),
			node, ...(memory.length ? memoryStrip(device, memory) : [])
		];
	});

	byId("capture").hidden = !strips.length;
	byId("capture-strips").replaceChildren(...strips.flat());
}

/* Shows the iterations of a finding in the charts. */
function lookAt(finding) {
	const [first, last] = finding.iterations;

	selectLoop(finding.loop);
	zoom.set(first - Math.max((last - first) * .1, 2), last + Math.max((last - first) * .1, 2));
	page.picked = finding.slow.length ? finding.slow.map(k => [k - .5, k + .5]) : [[first - .5, last + .5]];
	drawZoomed();
	showIteration(first);
	byId("series").scrollIntoView({ block: "center" });
	byId("series").querySelector(".chart").focus({ preventScroll: true });
}

function iterationLines(loop, k) {
	const odd = loop.odd.find(entry => entry[0] === k);
	const lines = [`iteration ${k}`];

	if (loop.starts.length)
		lines.push(`begins at ${format.duration(loop.starts[k])}`);
	if (odd && odd[2])
		lines.push("cut off by the capture");
	if (odd && odd[1])
		lines.push(`variant ${odd[1]}: kernels +${odd[3]} \u2212${odd[4]} \u2260${odd[5]}`);
	if (k < loop.warmup)
		lines.push("warm-up");
	return lines;
}

function points(series) {
	return series.y.map((value, i) => [series.x ? series.x[i] : i, value]);
}

/*
 * The end of an axis at the steady iterations, if warm-up is so much longer that they would be flat
 * lines; undefined otherwise, and where only warm-up is visible. Points are in order of iterations.
 */
function steadyEnd(loop, points) {
	const top = some => some.reduce((most, p) => Math.max(most, p[1] || 0), 0);
	/* the interval before the first steady iteration is of warm-up, too */
	const steady = top(points.filter(p => p[0] > loop.warmup));

	return loop.warmup && steady > 0 && zoom.to > loop.warmup && top(points) > 3 * steady ? 1.05 * steady : undefined;
}

function aboveChart(loop, points, unit) {
	return steadyEnd(loop, points) === undefined ? "" :
		`warm-up is above the chart, up to ${format.value(Math.max(...points.map(p => p[1] || 0)), unit)}`;
}

function seriesSpec(loop, series) {
	const info = metric(series.m), all = points(series);
	const values = all.map(p => p[1]).filter(value => value !== null);
	const low = Math.min(...values), high = Math.max(...values);
	/* a range wide enough that axis labels differ */
	const middle = (low + high) / 2, reach = Math.max((high - low) / 2, Math.abs(middle) * .01, values.length ? 0 : 1);
	/* times are drawn from 0, so that differences are in proportion */
	const fromZero = low >= 0 && (info.unit === "ns" || low < high * .6);
	const odd = new Set(loop.odd.filter(entry => entry[1]).map(entry => entry[0]));
	const sets = [{ label: title(info.name), color: "accent", points: all }];

	if (odd.size)
		sets.push({ label: "variant", color: "c-odd", dots: true, points: all.filter(p => odd.has(p[0]) && p[1] !== null) });
	return {
		type: "line", sets, unit: info.unit, range: zoom, whole: true, fromZero: fromZero,
		...(!fromZero && values.length && high - low < 2 * reach ? { least: middle - reach, most: middle + reach } : {}),
		get end() { return steadyEnd(loop, all); },
		xText: value => Number.isInteger(value) ? format.count(value) : "",
		yText: value => format.round(value, info.unit),
		hover: (k, found) => [...iterationLines(loop, k), `${title(info.name)}: ${format.value(found[0][1], info.unit)}`],
		get bands() { return page.picked; },
		pick: showIteration,
		marks: (loop.timelines || []).slice(0, 2).map((line, i) => [line.k, i ? "slowest" : "typical"]),
	};
}

/* A chart of a metric that the reader chooses. */
function showSeries(loop, box, chosen) {
	const head = el("div", { class: "chart-head" }), area = el("div");
	const select = el("select", { "aria-label": "Metric", change: () => draw(loop.series[select.value]) },
		...loop.series.map((series, i) => el("option", { value: i, selected: series === chosen }, title(metric(series.m).name))));
	const help = el("span", { class: "quiet" });
	let chart = null;

	function draw(series) {
		const info = metric(series.m);
		const frame = el("div", { class: "chart", role: "img", "aria-label": `${title(info.name)} of each iteration${ofLoop(loop)}` });

		if (chart) {
			chart.free();
			page.charts = page.charts.filter(other => other !== chart);
		}
		area.replaceChildren(frame);
		help.textContent = (ofLoop(loop) ? `${ofLoop(loop).trim()}: ` : "") + info.help + [series.x ? "of each stretch of iterations the least and the greatest" : "", aboveChart(loop, points(series), info.unit)]
			.filter(Boolean).map(text => "; " + text).join("");
		chart = makeChart(frame, seriesSpec(loop, series));
		page.charts.push(chart);
	}

	head.append(select, help);
	box.append(head, area);
	draw(chosen);
}

function showAllSeries(loop) {
	const box = byId("series");
	const named = seriesNames.map(name => loop.series.find(series => metric(series.m).name === name)).filter(Boolean);
	const chosen = [...named, ...loop.series.filter(series => !named.includes(series))].slice(0, 2);

	box.replaceChildren();
	chosen.forEach(series => showSeries(loop, box, series));
}

function showHistogram(loop) {
	const box = byId("histogram"), data = loop.histogram;

	box.replaceChildren();
	byId("histogram-title").parentNode.hidden = !data;
	byId("histogram-title").textContent = ofLoop(loop) ? `How long iterations${ofLoop(loop)} take` : "How long they take";
	if (!data)
		return;
	const width = (data.high - data.low) / data.bins.length || 1;
	const frame = el("div", { class: "chart small", role: "img", "aria-label": `How many iterations${ofLoop(loop)} take how long` });
	const end = i => i + 1 === data.bins.length && data.most > data.high ? data.most : data.low + (i + 1) * width;

	box.append(frame);
	page.charts.push(makeChart(frame, {
		type: "bar", width, gap: .92, low: data.low, high: data.low + width * data.bins.length, fromZero: true,
		sets: [{ label: "iterations", color: "c-busy", points: data.bins.map((n, i) => [data.low + i * width, n]) }],
		xText: value => format.round(value, "ns"), yText: value => Number.isInteger(value) ? format.count(value) : "",
		hover(at, found) {
			const i = Math.round((at - data.low) / width);

			return [plural(found[0][1], "iteration"), `${format.duration(data.low + i * width)} to ${format.duration(end(i))}`];
		},
		marks: loop.groups ? [] : [[loop.median, "median"]],
	}));
	if (data.most > data.high)
		box.append(el("p", { class: "quiet" }, `The last bar holds all above, up to ${format.duration(data.most)}.`));
}

/* "+2.6%", or a factor for large changes. */
function over(ratio) {
	return ratio >= 3 ? `\u00d7\u00a0${digits(ratio, 3)}` : (ratio > 1 ? "+" : "") + format.share(ratio - 1);
}

function showSlowest(loop) {
	const name = title(metric(loop.rank).name);

	byId("slowest").parentNode.hidden = !loop.slowest.length;
	byId("slowest-title").textContent = `Slowest iterations${ofLoop(loop)}`;
	makeTable(byId("slowest"), [
		{ title: "Iteration", number: true, value: row => row[0], cell: row => el("button", { type: "button", class: "link",
			click: () => lookAt({ loop: loop.id, iterations: [row[0], row[0]] }) }, format.count(row[0])) },
		{ title: name, number: true, value: row => row[1], cell: row => format.duration(row[1]) },
		{ title: "Over median", number: true, value: row => row[1] - loop.median, cell: row => over(row[1] / loop.median) },
		{ title: "Kernels", number: true, value: row => row[3], cell: row => format.count(row[3]) },
		{ title: "Edits", number: true, value: row => row[4] + row[5] + row[6], help: "Kernels that the pattern does not have, that are missing, that are others",
			cell: row => row[4] + row[5] + row[6] ? `+${row[4]} \u2212${row[5]} \u2260${row[6]}` : "" },
		{ title: "Begins", number: true, value: row => row[2], cell: row => format.duration(row[2]) },
	], loop.slowest, { sort: [1, true], tall: true });
}

const spareColors = ["c-spare", "c-spare-2", "c-spare-3"];

function partColor(name, i) {
	return metricColors[name] || spareColors[i % spareColors.length];
}

function showBreakdown(loop) {
	const box = byId("breakdown");
	const parts = loop.parts.map((part, i) => Object.assign({ info: metric(part.m), color: partColor(metric(part.m).name, i) }, part));
	const total = parts.reduce((sum, part) => sum + (part.mean || 0), 0);

	box.replaceChildren();
	byId("breakdown-title").hidden = !total;
	byId("breakdown-title").textContent = `Where the time of an iteration${ofLoop(loop)} goes`;
	if (!total)
		return;
	const seen = parts.filter(part => part.mean > 0);
	const size = loop.iterations / parts[0].y.length;
	const totals = parts[0].y.map((_, i) => [i * size - .5, seen.reduce((sum, part) => sum + (part.y[i] || 0), 0)]);
	const above = aboveChart(loop, totals, "ns");
	const frame = el("div", { class: "chart", role: "img", "aria-label": `What the time of each iteration${ofLoop(loop)} goes to` });

	box.append(
		el("div", { class: "stack", "aria-hidden": "true" }, ...seen.map(part => el("div",
			{ style: `flex:${part.mean} 1 0;background:var(--${part.color})` }, ...(part.mean > total * .08 ? barText(format.share(part.mean / total)) : [])))),
		el("div", { class: "legend" }, ...seen.map(part => el("span", { title: part.info.help }, el("i", { style: `background:var(--${part.color})` }),
			part.words + " ", el("b", null, format.duration(part.mean)), ` (${format.share(part.mean / total)})`))),
		frame, el("p", { class: "quiet" }, above && above[0].toUpperCase() + above.slice(1) + "."));
	page.charts.push(makeChart(frame, {
		get end() { return steadyEnd(loop, totals); },
		type: "bar", stacked: true, width: size, range: zoom, pick: at => showIteration(Math.round(at + .5)), whole: true, fromZero: true,
		sets: seen.map(part => ({ label: part.words, color: part.color, points: part.y.map((value, i) => [i * size - .5, value]) })),
		xText: value => Number.isInteger(value) ? format.count(value) : "", yText: value => format.round(value, "ns"),
		hover(at, found) {
			const first = Math.round(at + .5), last = Math.max(first, Math.ceil(at + size - .5));

			return [size > 1 ? `mean of iterations ${first}\u2013${last}` : `iteration ${first}`,
				...found.filter(pair => pair[1] > 0).map(([i, value]) => `${seen[i].words}: ${format.duration(value)}`)];
		},
	}));
}

/* The most important numbers; waits with their share of the period. */
function leadTiles(loop) {
	const value = name => loop.summary[report.summaries.findIndex(info => info.name === name)];
	const period = value("avg_period_ns");
	const waits = [["input wait", "avg_input_wait_ns"], ["host wait", "avg_host_wait_ns"], ["exposed communication", "avg_comm_exposed_ns"], ["exposed copies", "avg_copy_exposed_ns"]];
	const tile = (name, text) => el("div", null, el("dt", null, name), el("dd", null, text));

	return [
		loop.groups ? tile("periods", loop.groups) :
			known(value("median_period_ns")) ? tile("median period", format.duration(value("median_period_ns"))) : null,
		known(value("avg_busy_ns")) && period ? tile("GPU busy", format.share(value("avg_busy_ns") / period)) : null,
		...waits.map(([name, key]) => known(value(key)) && period ? tile(name, `${format.duration(value(key))} (${format.share(value(key) / period)})`) : null),
	].filter(Boolean);
}

/* Annotations need none. */
function confidence(loop) {
	return loop.found === "marks" || !known(loop.confidence) ? "" : `, confidence ${format.share(loop.confidence)}`;
}

function showLoopFacts(loop) {
	byId("loop-text").replaceChildren(clean(loop.words), el("br"),
		el("span", { class: "quiet" }, "from ", el("bdi", null, clean(loop.first)), " to ", el("bdi", null, clean(loop.last))));
	const tiles = loop.summary.map((value, i) => [report.summaries[i], value])
		.filter(([info, value]) => info.shown && value !== null)
		.map(([info, value]) => el("div", { title: info.help }, el("dt", null, title(info.name)), el("dd", null, format.value(value, info.unit))));

	byId("loop-facts").replaceChildren(...leadTiles(loop));
	byId("more-facts").replaceChildren(...tiles);
	byId("more-facts").parentNode.hidden = !tiles.length;
}

/* The timeline of an iteration, or of the nearest one on the page, below the first two. */
function showIteration(k) {
	const all = page.loop.timelines || [];

	if (!all.length)
		return;
	page.timeline = all.reduce((best, line) => Math.abs(line.k - k) < Math.abs(best.k - k) ? line : best);
	showTimelines(page.loop);
	byId("time-note").textContent = page.timeline.k === k ? `Iteration ${k} is shown below.`
		: `This page holds no timeline of iteration ${k}: iteration ${page.timeline.k} is the nearest.`;
}

function shownTimelines(loop) {
	const lines = (loop.timelines || []).slice(0, 2);

	return page.timeline && !lines.includes(page.timeline) ? [...lines, page.timeline] : lines;
}

function timelineTitle(line, i, count) {
	return count === 1 ? "An iteration" : i === 0 ? "A typical iteration" : i === 1 ? "The slowest iteration" : "Chosen iteration";
}

function showTimelines(loop) {
	const box = byId("timelines"), lines = shownTimelines(loop);

	byId("timeline").hidden = !lines.length;
	byId("timeline-title").textContent = lines.length === 1 ? `The iteration${ofLoop(loop)}` : `A typical iteration${ofLoop(loop)}, and the slowest`;
	byId("time-scale").hidden = lines.length === 1;
	byId("time-note").textContent = "";
	byId("time-pick").replaceChildren(el("option", { value: "" }, "add an iteration"),
		...(loop.timelines || []).slice(2).map(line => line.k).sort((a, b) => a - b).map(k => el("option", { value: k, selected: page.timeline && page.timeline.k === k }, `iteration ${k}`)));
	byId("time-pick").hidden = (loop.timelines || []).length < 3;
	byId("time-pick").onchange = event => event.target.value && showIteration(Number(event.target.value));
	box.replaceChildren();
	time.listeners = [timeText];
	time.limit(0, Math.max(...lines.map(line => line.length), 1));
	lines.forEach((line, i) => {
		const frame = el("div", { class: "timeline" });

		box.append(el("div", { class: "lane-head" },
			el("h3", null, `${timelineTitle(line, i, lines.length)}: ${line.k}`),
			el("span", null, format.duration(line.length)),
			idleText(line)), frame);
		new Timeline(frame, line, time);
	});
	byId("legend").replaceChildren(...timelineLegend(lines));
	timeText();
}

function timeText() {
	byId("time-range").textContent = time.whole ? "the whole iteration" : `${format.duration(time.from)} to ${format.duration(time.to)}`;
}

function zoomText() {
	const first = Math.max(Math.ceil(zoom.from), 0), last = Math.min(Math.floor(zoom.to), page.loop.iterations - 1);

	byId("zoom-range").textContent = zoom.whole ? `all ${plural(page.loop.iterations, "iteration")}` : iterationsText([first, last]);
}

function operatorTables(loop) {
	operatorTable(loop);
	hostOperatorTable(loop);
	waitTable(loop);
	pathTables(loop);
}

function selectLoop(id) {
	const loop = report.loops[id];

	if (!loop || !loop.series || loop === page.loop)
		return;
	page.charts.forEach(chart => chart.free());
	page.charts = [];
	page.picked = [];
	page.timeline = null;
	page.loop = loop;
	byId("loop").hidden = false;
	byId("loop-select").value = id;
	zoom.limit(-.5, loop.iterations - .5);
	showLoopFacts(loop);
	/* a single iteration has nothing to be compared with */
	byId("over-iterations").hidden = loop.iterations < 2;
	if (loop.iterations < 2) {
		showTimelines(loop);
		operatorTables(loop);
		return;
	}
	showAllSeries(loop);
	showHistogram(loop);
	showSlowest(loop);
	showBreakdown(loop);
	showTimelines(loop);
	operatorTables(loop);
	zoomText();
}

function loopLabel(loop) {
	return `${loop.id}: ${format.count(loop.complete)} \u00d7 ${loop.contents}, ${deviceName(loop.device)}, ${streamName(loop.stream)}`;
}

/* Loops and the loops inside them; of very many, the first. */
function tree(parent, depth) {
	const inside = report.loops.filter(loop => loop.parent === parent);

	if (!inside.length || depth > 20)
		return null;
	return el("ul", { class: "tree" }, ...inside.slice(0, 200).map(loop => el("li", null,
		loop.series ? el("button", { type: "button", class: "link", click: () => {
			selectLoop(loop.id);
			byId("loop").scrollIntoView();
		} }, loopLabel(loop)) : loopLabel(loop),
		el("span", { class: "quiet" }, `, ${format.share(loop.coverage)} of the stream's kernels${confidence(loop)}`),
		tree(loop.id, depth + 1))), inside.length > 200 ? el("li", null, `and ${format.count(inside.length - 200)} more`) : null);
}

function showLoops() {
	const full = fullLoops();

	if (!report.loops.length)
		return;
	byId("loops").hidden = false;
	byId("loop-tree").replaceChildren(tree(-1, 0));
	byId("loop-pick").hidden = full.length < 2;
	byId("loop-select").append(...full.map(loop => el("option", { value: loop.id }, loopLabel(loop))));
	byId("loop-select").onchange = event => selectLoop(Number(event.target.value));
	if (full.length)
		selectLoop(full[0].id);
}

function drawZoomed() {
	page.charts.filter(chart => chart.spec.range).forEach(chart => chart.draw());
}

function drawAll() {
	page.charts.forEach(chart => chart.draw());
	time.listeners.forEach(listener => listener());
}

function start() {
	showFacts();
	showFindings();
	showCapture();
	showLoops();
	kernelTable();
	streamTable();
	zoomButtons("zoom", zoom);
	zoomButtons("time", time);
	zoom.listeners.push(() => {
		if (zoom.whole)
			page.picked = [];
		drawZoomed();
		zoomText();
	});
	redraw(drawAll);
}

start();
