"use strict";

/*
 * Charts: made by Chart.js if the page has it, else as plain SVG. A chart takes a box and a spec:
 *   type    "line" or "bar"
 *   sets    [{ label, color, points: [[x, y]…] }]; for bars, x is the left end
 *   unit    of y
 *   stacked, width (of a bar)
 *   range   that x follows, if any
 *   xText, yText  functions of a value; hover(x, [[set, y]…]) returns the lines of a tooltip
 *   least, most  the y axis begins at least as low, and ends at least as high
 *   end     of the y axis, if set; higher values are cut off
 *   marks   [[x, text]]: vertical lines; bands [[from, to]]
 */
/* Colours of the parts of a period, by their metric. */
const metricColors = {
	compute_ns: "c-busy", comm_exposed_ns: "c-comm", copy_exposed_ns: "c-copies", duration_ns: "c-iteration", idle_ns: "c-idle", interval_ns: "c-interval", idle_host_ns: "c-host", host_wait_ns: "c-host", input_wait_ns: "c-input",
	idle_sync_ns: "c-sync", idle_copy_ns: "c-wait-copy", idle_launch_ns: "c-launch", idle_other_ns: "c-other",
};

const hasChartJs = typeof Chart === "function";

function visible(spec, points) {
	if (!spec.range || spec.range.whole)
		return points;
	const slack = spec.width || 1;

	return points.filter(p => p[0] >= spec.range.from - slack && p[0] <= spec.range.to + slack);
}

/* Room above a drawing for the texts of marks, which would be unreadable on bars. */
const markRoom = 16, markWidth = 56;

/* Positions of marks: [pixel, text, whether the text is to the left]. */
function placeMarks(spec, area, toPixel) {
	const marks = (spec.marks || []).map(([at, text]) => [Math.round(toPixel(at)) + .5, text])
		.filter(([place]) => place >= area.left && place <= area.right + 1).sort((a, b) => a[0] - b[0]);

	return marks.map(([place, text], i) => [place, text, place > area.right - markWidth ||
		(i + 1 < marks.length && marks[i + 1][0] - place < markWidth && place > area.left + markWidth)]);
}

/* Draws bands behind the data of a Chart.js chart, and vertical lines over it. */
function marksPlugin(spec) {
	return {
		id: "marks",
		beforeDatasetsDraw(chart) {
			const area = chart.chartArea, x = chart.scales.x, ctx = chart.ctx;

			ctx.save();
			ctx.beginPath();
			ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
			ctx.clip();
			ctx.fillStyle = color("accent-weak");
			for (const [from, to] of spec.bands || []) {
				const left = x.getPixelForValue(from), right = x.getPixelForValue(to);

				ctx.fillRect(left, area.top, Math.max(right - left, 2), area.bottom - area.top);
			}
			ctx.restore();
		},
		afterDatasetsDraw(chart) {
			const area = chart.chartArea, x = chart.scales.x, ctx = chart.ctx;

			ctx.save();
			ctx.strokeStyle = ctx.fillStyle = color("quiet");
			ctx.font = "11px system-ui, sans-serif";
			ctx.setLineDash([3, 3]);
			for (const [place, text, left] of placeMarks(spec, area, at => x.getPixelForValue(at))) {
				ctx.beginPath();
				ctx.moveTo(place, area.top);
				ctx.lineTo(place, area.bottom);
				ctx.stroke();
				ctx.textAlign = left ? "right" : "left";
				ctx.fillText(text, place + (left ? -4 : 0), area.top - 5);
			}
			ctx.restore();
		},
	};
}

function chartJsData(spec) {
	return spec.sets.map(set => {
		const points = visible(spec, set.points);
		const shared = { label: set.label, data: points.map(p => ({ x: p[0] + (spec.width || 0) / 2, y: p[1] === null ? NaN : p[1] })) };

		if (spec.type === "bar")
			return Object.assign(shared, { backgroundColor: color(set.color), barPercentage: 1, categoryPercentage: spec.gap || 1 });
		return Object.assign(shared, {
			borderColor: color(set.color), backgroundColor: color(set.color), borderWidth: set.dots ? 0 : 1.4,
			showLine: !set.dots, pointRadius: set.dots ? 4 : points.length <= 150 ? 2.5 : 0,
			pointHoverRadius: 5, pointHitRadius: 8, tension: 0,
		});
	});
}

function chartJsOptions(spec) {
	const tick = { color: color("quiet"), font: { size: 11 }, maxRotation: 0 };
	const grid = { color: color("grid"), borderColor: color("line") };

	return {
		animation: false, maintainAspectRatio: false, responsive: true, parsing: false, normalized: true,
		layout: { padding: { top: spec.marks ? markRoom : 0 } },
		interaction: { mode: "nearest", axis: "x", intersect: false },
		scales: {
			x: {
				type: "linear", offset: false, stacked: spec.stacked, grid: Object.assign({ display: false }, grid),
				min: spec.range ? spec.range.from : spec.low, max: spec.range ? spec.range.to : spec.high,
				title: { display: !!spec.xTitle, text: spec.xTitle, color: color("quiet"), font: { size: 11 } },
				ticks: Object.assign({ autoSkip: true, maxTicksLimit: 10, precision: spec.whole ? 0 : undefined, includeBounds: !spec.whole || Number.isInteger(spec.low),
					callback: value => spec.xText(value) }, tick),
			},
			y: {
				stacked: spec.stacked, grid, beginAtZero: spec.fromZero, grace: spec.fromZero ? 0 : "8%",
				suggestedMin: spec.least, suggestedMax: spec.most, max: spec.end,
				ticks: Object.assign({ maxTicksLimit: 6, callback: value => spec.yText(value) }, tick),
				afterFit: scale => { scale.width = 84; },
				/* Chart.js ends the labels with the axis, which is no round number */
				afterBuildTicks: scale => { scale.ticks = scale.ticks.filter(at => at.value !== spec.end); },
			},
		},
		plugins: { legend: { display: false }, tooltip: { enabled: false, external: context => chartJsHover(spec, context) } },
	};
}

function chartJsHover(spec, context) {
	const { chart, tooltip } = context;

	if (!tooltip.opacity || !tooltip.dataPoints || !tooltip.dataPoints.length)
		return tip.hide();
	const box = chart.canvas.getBoundingClientRect();
	const at = tooltip.dataPoints[0].parsed.x - (spec.width || 0) / 2;
	const values = tooltip.dataPoints.map(point => [point.datasetIndex, point.parsed.y]);

	tip.show(spec.hover(at, values), box.left + tooltip.caretX, box.top + tooltip.caretY);
}

class ChartJsChart {
	constructor(box, spec) {
		const canvas = el("canvas", { "aria-hidden": "true" });

		this.spec = spec;
		box.append(canvas);
		this.chart = new Chart(canvas, {
			type: spec.type, data: { datasets: chartJsData(spec) }, options: chartJsOptions(spec),
			plugins: [marksPlugin(spec)],
		});
	}
	draw() {
		this.chart.data.datasets = chartJsData(this.spec);
		this.chart.options = chartJsOptions(this.spec);
		this.chart.update("none");
	}
	toValue(place) {
		return this.chart.scales.x.getValueForPixel(place);
	}
	get area() {
		return this.chart.chartArea;
	}
	free() {
		this.chart.destroy();
	}
}

/* A few round numbers between two values. */
function ticks(low, high, most) {
	const rough = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
	const found = [];

	for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9 && found.length < 50; at += step)
		found.push(at);
	return found;
}

/* The same without Chart.js. */
class SvgChart {
	constructor(box, spec) {
		this.spec = spec;
		this.box = box;
		this.id = "clip-" + ++SvgChart.made;
		this.svg = svg("svg", { "aria-hidden": "true" });
		box.append(this.svg);
		box.addEventListener("pointermove", event => this.hover(event));
		box.addEventListener("pointerleave", tip.hide);
		this.draw();
	}
	get area() {
		return { left: 84, right: Math.max(this.box.clientWidth - 10, 100), top: this.spec.marks ? markRoom : 8, bottom: this.box.clientHeight - 24 };
	}
	toValue(place) {
		const { left, right } = this.area;

		return this.low + (place - left) / (right - left) * (this.high - this.low);
	}
	draw() {
		const spec = this.spec, area = this.area, shown = spec.sets.map(set => visible(spec, set.points));
		const sums = new Map();

		this.shown = shown;
		this.low = spec.range ? spec.range.from : spec.low;
		this.high = spec.range ? spec.range.to : spec.high;
		for (const points of shown)
			for (const [x, y] of points)
				sums.set(x, spec.stacked ? (sums.get(x) || 0) + (y || 0) : Math.max(sums.get(x) || -Infinity, y === null ? -Infinity : y));
		let top = Math.max(...sums.values(), -Infinity), bottom = 0;
		if (!spec.fromZero && !spec.stacked) {
			for (const points of shown)
				for (const [, y] of points)
					bottom = y !== null && (bottom === 0 || y < bottom) ? y : bottom;
			bottom -= (top - bottom) * .08;
		}
		top = spec.end || Math.max(top, spec.most === undefined ? top : spec.most);
		bottom = Math.min(bottom, spec.least === undefined ? bottom : spec.least);
		if (!(top > bottom))
			top = bottom + 1;
		const x = value => area.left + (value - this.low) / (this.high - this.low) * (area.right - area.left);
		const y = value => area.bottom - (value - bottom) / (top - bottom) * (area.bottom - area.top);
		const nodes = [];

		for (const [from, to] of spec.bands || [])
			nodes.push(svg("rect", { x: x(from), y: area.top, width: Math.max(x(to) - x(from), 2), height: area.bottom - area.top, fill: color("accent-weak") }));
		for (const at of ticks(bottom, top, 4))
			nodes.push(svg("line", { x1: area.left, x2: area.right, y1: y(at), y2: y(at), stroke: color("grid") }),
				svg("text", { x: area.left - 6, y: y(at) + 4, "text-anchor": "end" }, spec.yText(at)));
		for (const at of ticks(this.low, this.high, 8))
			if (!spec.whole || Number.isInteger(at))
				nodes.push(svg("text", { x: x(at), y: area.bottom + 16, "text-anchor": "middle" }, spec.xText(at)));
		const bases = new Map(), drawn = [], clip = svg("clipPath", { id: this.id }), group = svg("g", { "clip-path": `url(#${this.id})` });
		shown.forEach((points, i) => this.drawSet(drawn, spec.sets[i], points, x, y, bases, bottom));
		const ceiling = spec.end ? area.top : 0;

		clip.append(svg("rect", { x: area.left, y: ceiling, width: area.right - area.left, height: area.bottom - ceiling }));
		group.append(...drawn);
		nodes.push(clip, group);
		for (const [place, text, left] of placeMarks(spec, area, x))
			nodes.push(svg("line", { x1: place, x2: place, y1: area.top, y2: area.bottom, stroke: color("quiet"), "stroke-dasharray": "3 3" }),
				svg("text", { x: place - (left ? 4 : 0), y: area.top - 5, "text-anchor": left ? "end" : "start" }, text));
		this.svg.replaceChildren(...nodes);
	}
	drawSet(nodes, set, points, x, y, bases, bottom) {
		if (this.spec.type === "bar") {
			for (const [at, value] of points) {
				const base = bases.get(at) || bottom;

				nodes.push(svg("rect", { x: x(at), y: y(base + (value || 0)), width: Math.max(x(at + this.spec.width) - x(at) - (this.spec.gap ? 1 : 0), 1),
					height: Math.max(y(base) - y(base + (value || 0)), 0), fill: color(set.color) }));
				bases.set(at, base + (value || 0));
			}
			return;
		}
		let path = "", pen = "M";
		for (const [at, value] of points) {
			if (value !== null && set.dots)
				nodes.push(svg("circle", { cx: x(at), cy: y(value), r: 4, fill: color(set.color) }));
			if (value !== null)
				path += pen + x(at).toFixed(1) + " " + y(value).toFixed(1);
			pen = value === null ? "M" : "L";
		}
		if (!set.dots)
			nodes.push(svg("path", { d: path, fill: "none", stroke: color(set.color), "stroke-width": 1.4 }));
	}
	hover(event) {
		const at = this.toValue(event.clientX - this.box.getBoundingClientRect().left) - (this.spec.width || 0) / 2;
		let best = null;

		for (const points of this.shown)
			for (const [x] of points)
				best = best === null || Math.abs(x - at) < Math.abs(best - at) ? x : best;
		if (best === null)
			return;
		const values = this.shown.map((points, i) => [i, (points.find(p => p[0] === best) || [])[1]])
			.filter(pair => pair[1] !== undefined && pair[1] !== null);
		tip.show(this.spec.hover(best, values), event.clientX, event.clientY);
	}
	free() {
		this.svg.remove();
	}
}

SvgChart.made = 0;

/* Lets keys move from point to point, with tooltips; a click or Enter selects the nearest. */
function readable(box, spec, chart) {
	const xs = () => [...new Set(spec.sets.flatMap(set => visible(spec, set.points).map(p => p[0])))]
		.filter(x => !spec.range || (x >= spec.range.from - (spec.width || 0) / 2 && x <= spec.range.to)).sort((a, b) => a - b);
	const values = x => spec.sets.map((set, i) => [i, (set.points.find(p => p[0] === x) || [])[1]])
		.filter(pair => pair[1] !== undefined && pair[1] !== null);
	let current = null, down = 0;

	box.tabIndex = 0;
	box.addEventListener("keydown", event => {
		const all = xs(), step = { ",": -1, ".": 1 }[event.key];

		if (event.key === "Enter" && spec.pick && current !== null)
			spec.pick(current);
		if (!step || !all.length || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		const at = current === null ? (step > 0 ? -1 : all.length) : all.indexOf(current);
		current = all[Math.min(Math.max(at + step, 0), all.length - 1)];
		const lines = spec.hover(current, values(current)), place = box.getBoundingClientRect(), area = chart.area;
		const low = spec.range ? spec.range.from : all[0], high = spec.range ? spec.range.to : all[all.length - 1];
		tip.show(lines, place.left + area.left + (current - low) / (high - low || 1) * (area.right - area.left), place.top + area.top);
		byId("read").textContent = lines.join(", ");
	});
	box.addEventListener("blur", tip.hide);
	box.addEventListener("pointerdown", event => { down = event.clientX; });
	box.addEventListener("click", event => {
		const all = xs();

		if (!spec.pick || !all.length || Math.abs(event.clientX - down) > 4)
			return;
		const at = chart.toValue(event.clientX - box.getBoundingClientRect().left) - (spec.width || 0) / 2;
		spec.pick(all.reduce((best, x) => Math.abs(x - at) < Math.abs(best - at) ? x : best));
	});
}

/* Makes a chart in a box; draw() redraws it. */
function makeChart(box, spec) {
	const chart = hasChartJs ? new ChartJsChart(box, spec) : new SvgChart(box, spec);

	readable(box, spec, chart);
	if (spec.range)
		zoomable(box, spec.range, place => chart.toValue(place), () => chart.area);
	box.addEventListener("pointerleave", tip.hide);
	return chart;
}
