"use strict";

/*
 * Tables that sort and filter. Columns: { title, value(row) to sort by, cell(row): text or node,
 * number: to the right, help }. Options: { filter(row): its text, limit, sort: [column, descending],
 * of which the column is null where the rows' own order stays }.
 */
function makeTable(box, columns, rows, options) {
	const state = { sort: options.sort || [0, false], filter: "", all: false };
	const body = el("tbody");
	const heads = columns.map((column, i) => el("th", { scope: "col", class: column.number ? "num" : null },
		el("button", { type: "button", title: column.help || `Sort by ${column.title}`, click: () => sortBy(i) }, column.title)));
	const matches = el("span", { class: "quiet", role: "status" });
	const more = el("button", { type: "button", click: () => { state.all = !state.all; draw(); } });
	const input = options.filter ? el("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter by name",
		input: () => { state.filter = input.value.toLowerCase(); draw(); } }) : null;

	function sortBy(column) {
		state.sort = [column, state.sort[0] === column ? !state.sort[1] : !!columns[column].number];
		draw();
	}

	/* equal rows keep their order; rows without a value come last */
	function sorted(list) {
		const [column, descending] = state.sort;

		if (column === null)
			return list;
		const value = columns[column].value;

		return list.map(row => [value(row), row]).sort(([a], [b]) => {
			if (a === b)
				return 0;
			if (a === null || a === undefined || b === null || b === undefined)
				return a === null || a === undefined ? 1 : -1;
			return (a < b ? -1 : 1) * (descending ? -1 : 1);
		}).map(pair => pair[1]);
	}

	function draw() {
		const words = state.filter.split(/\s+/).filter(Boolean);
		const found = words.length ? rows.filter(row => {
			const text = options.filter(row).toLowerCase();

			return words.every(word => text.includes(word));
		}) : rows;
		const limit = options.limit || Infinity;
		const shown = sorted(found).slice(0, state.all ? Infinity : limit);

		heads.forEach((head, i) => head.setAttribute("aria-sort",
			i !== state.sort[0] ? "none" : state.sort[1] ? "descending" : "ascending"));
		body.replaceChildren(...shown.map(row => el("tr", null, ...columns.map(column =>
			el("td", { class: column.number ? "num" : column.class }, column.cell(row))))));
		matches.textContent = words.length ? `${format.count(found.length)} of ${format.count(rows.length)}` : "";
		more.hidden = found.length <= limit;
		more.textContent = state.all ? `Show ${limit}` : `Show all ${format.count(found.length)}`;
	}

	box.replaceChildren(
		...(input ? [el("div", { class: "table-tools" }, input, matches)] : []),
		el("div", { class: options.tall ? "scroll tall" : "scroll", tabindex: options.tall ? 0 : null },
			el("table", null, el("thead", null, el("tr", null, ...heads)), body)),
		more);
	draw();
}

/* A name; if it is shortened, the full name on demand. */
function nameCell(index) {
	const short = shortName(index), full = fullName(index);

	return short === full ? el("bdi", null, short)
		: el("details", null, el("summary", null, el("bdi", null, short)), el("div", null, el("bdi", null, full)));
}

function kernelTable() {
	const kinds = ["kernel", "graph", "copy", "memset"];
	const units = [["SM active", "Multiprocessors with work while the kernel ran", 9],
		["Tensor active", "Throughput of the tensor cores while the kernel ran, of their peak", 10],
		["DRAM active", "Throughput of device memory while the kernel ran, of its peak", 11]];
	const known = (row, at) => row[at] !== null && row[at] !== undefined;
	const total = report.kernels.reduce((sum, row) => sum + row[3], report.others[2]) || 1;
	const most = Math.max(...report.kernels.map(row => row[3]), 1);

	makeTable(byId("kernel-table"), [
		{ title: "Name", value: row => shortName(row[0]), cell: row => nameCell(row[0]), class: "name" },
		{ title: "Kind", value: row => kinds[row[1]], cell: row => kinds[row[1]] },
		{ title: "Count", number: true, value: row => row[2], cell: row => format.count(row[2]) },
		{ title: "Total", number: true, value: row => row[3], cell: row => format.duration(row[3]) },
		{ title: "Of all operations", number: true, value: row => row[3], help: "Of the time of all kernels, copies and memsets of the capture",
			cell: row => el("span", null, el("span", { class: "meter", style: `width:${(60 * row[3] / most).toFixed(1)}px` }), format.share(row[3] / total)) },
		{ title: "Mean", number: true, value: row => row[3] / row[2], cell: row => format.duration(row[3] / row[2]) },
		{ title: "Min", number: true, value: row => row[4], cell: row => format.duration(row[4]) },
		{ title: "Max", number: true, value: row => row[5], cell: row => format.duration(row[5]) },
		{ title: "Bytes", number: true, value: row => row[6] || null, cell: row => row[6] ? format.bytes(row[6]) : "" },
		...(report.kernels.some(row => row[7] !== null) ? [{ title: "Occupancy", number: true, value: row => row[7],
			help: "Estimated achieved occupancy as the profiler recorded it, weighted by duration",
			cell: row => row[7] === null ? "" : format.share(row[7]) }] : []),
		...(report.kernels.some(row => row[8]) ? [{ title: "Tensor cores", value: row => row[8], help: "According to the kernel's name",
			cell: row => row[8] ? "yes" : "" }] : []),
		...units.filter(([, , at]) => report.kernels.some(row => known(row, at))).map(([title, help, at]) => ({ title, help, number: true,
			value: row => known(row, at) ? row[at] : null, cell: row => known(row, at) ? format.share(row[at]) : "" })),
	], report.kernels, { filter: row => fullName(row[0]), limit: 25, sort: [3, true] });
	if (report.others[0])
		byId("kernel-table").append(el("p", { class: "quiet" },
			`and ${plural(report.others[1], "operation")} of ${format.count(report.others[0])} other names, ${format.duration(report.others[2])}`));
}

/* Kernel time by the operator or range that launched it. */
function operatorTable(loop) {
	const rows = loop.operators || [];
	const named = rows.some(row => row[0]);
	const most = Math.max(...rows.map(row => row[2]), 1);
	const name = row => clean(row[0]) || "outside operators";

	byId("operators").hidden = !named;
	byId("operators-title").textContent = `GPU time by operator and layer${ofLoop(loop)}`;
	if (!named)
		return;
	makeTable(byId("operator-table"), [
		{ title: "Name", value: name, cell: row => el("bdi", null, name(row)), class: "name" },
		{ title: "Kernels", number: true, value: row => row[1], cell: row => format.count(row[1]) },
		{ title: "Total", number: true, value: row => row[2], cell: row => format.duration(row[2]) },
		{ title: "Of the loop's kernels", number: true, value: row => row[6], help: "Of the time of the kernels in the loop's iterations",
			cell: row => el("span", null, el("span", { class: "meter", style: `width:${(60 * row[2] / most).toFixed(1)}px` }), format.share(row[6])) },
		{ title: "Mean", number: true, value: row => row[3], cell: row => format.duration(row[3]) },
		{ title: "Min", number: true, value: row => row[4], cell: row => format.duration(row[4]) },
		{ title: "Max", number: true, value: row => row[5], cell: row => format.duration(row[5]) },
	], rows, { filter: name, limit: 25, sort: [2, true] });
}

/* The host's time by operator: [name, calls, total, self]. */
function hostOperatorTable(loop) {
	const rows = loop.host_operators || [], per = loop.iterations;
	const step = /^ProfilerStep#\d+$/, name = row => fullName(row[0]).replace(step, "ProfilerStep#");
	const most = Math.max(...rows.map(row => row[3]), 1);
	const time = at => ({ number: true, value: row => row[at], cell: row => format.duration(row[at] / per) });

	byId("host-operators").hidden = !rows.length;
	byId("host-operators-title").textContent = `Host time by operator${ofLoop(loop)}`;
	if (!rows.length)
		return;
	makeTable(byId("host-operator-table"), [
		{ title: "Name", value: name, cell: row => step.test(fullName(row[0])) ? name(row) : nameCell(row[0]), class: "name" },
		{ title: "Calls", number: true, value: row => row[1], cell: row => format.value(row[1] / per, "count") },
		{ title: "Total", ...time(2) },
		{ title: "Self", number: true, value: row => row[3], cell: row => el("span", null,
			el("span", { class: "meter", style: `width:${(60 * Math.max(row[3], 0) / most).toFixed(1)}px` }), format.duration(row[3] / per)) },
	], rows, { filter: name, limit: 15, sort: [3, true] });
}

const activities = { wait: "host wait", input: "input wait", sync: "synchronizes", wait_sampled: "runs in host wait", input_sampled: "runs in input wait" };

/* Host ranges over idle time, and the critical path, of a loop. */
function pathTables(loop) {
	const tables = [["host", loop.host || [], row => activities[row[0]], "Meanwhile"], ["path", loop.path || [], row => row[0], "Part"]];

	for (const [id, rows, part, head] of tables) {
		const name = row => clean(row[1]) || report.trace.outside;
		const sums = new Map();

		for (const row of rows)
			sums.set(id === "host" ? row[0] : "", (sums.get(id === "host" ? row[0] : "") || 0) + row[2]);
		const share = row => row[2] / sums.get(id === "host" ? row[0] : "");

		byId(id).hidden = !rows.length;
		if (!rows.length)
			continue;
		if (id === "path")
			byId("path-title").textContent = `Critical path of ${loop.path_of}`;
		makeTable(byId(id + "-table"), [
			{ title: head, value: part, cell: part },
			{ title: id === "host" ? "In" : "Name", value: name, cell: row => el("bdi", null, name(row)), class: "name" },
			{ title: id === "host" ? "Per typical iteration" : "Per iteration", number: true, value: row => row[2], cell: row => format.duration(row[2]) },
			{ title: "Share", number: true, value: share, cell: row => el("span", null,
				el("span", { class: "meter", style: `width:${(60 * share(row)).toFixed(1)}px` }), format.share(share(row))) },
		], rows, { filter: name, limit: 10, sort: [2, true] });
	}
}

/* What the stream of a loop waited for while it was idle. */
function waitTable(loop) {
	const rows = loop.waits || [];
	const name = row => clean(row[3]);

	byId("waits").hidden = !rows.length;
	if (!rows.length)
		return;
	byId("waits-title").textContent = `What ${streamName(loop.stream)} waited for${ofLoop(loop)}`;
	makeTable(byId("waits-table"), [
		{ title: "Operation", value: name, cell: row => el("bdi", null, name(row)), class: "name" },
		{ title: "Device", value: row => deviceName(row[0]), cell: row => deviceName(row[0]) },
		{ title: "Stream", number: true, value: row => row[1], cell: row => String(row[1]) },
		{ title: "Event", number: true, value: row => row[2], cell: row => (row[2] ? String(row[2]) : "") },
		{ title: "Per iteration", number: true, value: row => row[4], cell: row => format.duration(row[4]) },
	], rows, { filter: name, limit: 10, sort: [4, true] });
}

function streamTable() {
	const duration = report.trace.duration || 1;

	makeTable(byId("stream-table"), [
		{ title: "Device", value: row => deviceName(row[0]), cell: row => deviceName(row[0]) },
		{ title: "Context", number: true, value: row => row[1], cell: row => row[1] >= 0 ? String(row[1]) : "\u2013" },
		{ title: "Stream", number: true, value: row => row[2], cell: row => row[2] >= 0 ? String(row[2]) : "\u2013" },
		{ title: "Class", value: row => row[3], cell: row => row[3] },
		{ title: "Kernels", number: true, value: row => row[4], cell: row => format.count(row[4]) },
		{ title: "Copies", number: true, value: row => row[5], cell: row => format.count(row[5]) },
		{ title: "Memsets", number: true, value: row => row[6], cell: row => format.count(row[6]) },
		{ title: "Busy", number: true, value: row => row[7], cell: row => format.duration(row[7]) },
		{ title: "Of the trace", number: true, value: row => row[7], cell: row =>
			el("span", null, el("span", { class: "meter", style: `width:${(80 * row[7] / duration).toFixed(1)}px` }), format.share(row[7] / duration)) },
	], report.streams, { limit: 25, sort: [7, true] });
}
