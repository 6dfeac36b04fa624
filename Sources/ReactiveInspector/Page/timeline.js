// The timeline of a live page: a row for each thread, a bar for each transaction, run and evaluation, and a tick for
// each instant.
//
// Idle times are shortened, so that the work after each write can be seen without zooming. Positions are times without
// the shortened parts. A paused timeline stands still, and the events continue to be recorded.
"use strict";
const timeline = {
    canvas: document.getElementById("timeline"), context: document.getElementById("timeline").getContext("2d"),
    from: 0, span: 2_000_000, scroll: 0, isPaused: false, isZoomed: false, bars: [],
};
let selectedEvent = null, causes = new Set();
const lane = 14, timelineLabel = 74, ruler = 20;
/** The lanes of a thread, from the top: transactions, runs and effects, evaluations. */
const laneOf = { transaction: 0, rollBack: 0, write: 0, run: 1, effect: 1, evaluation: 2, hop: 1, delay: 1 };
const bars = new Set(["transaction", "run", "effect", "evaluation"]);

// ---- The visible part

/** Returns the index of the first event that starts at this position or later. */
function firstEvent(position) {
    let low = 0, high = events.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (events[middle].left < position) low = middle + 1;
        else high = middle;
    }
    return low;
}

function timelineScale() { return Math.max(1, timeline.canvas.clientWidth - timelineLabel - 10) / timeline.span; }
function xOf(position) { return timelineLabel + (position - timeline.from) * timelineScale(); }

/** Shows the newest events, unless the timeline is paused. */
function followEvents() {
    if (timeline.isPaused || !events.length) return;
    const end = position(busyUntil);
    if (!timeline.isZoomed) {
        // The span is a power of two, so that it rarely changes.
        const wanted = Math.max(10_000, end - events[Math.max(0, events.length - 150)].left);
        timeline.span = 2 ** Math.ceil(Math.log2(wanted * 1.1));
    }
    timeline.from = end - timeline.span * 0.97;
}

function pause(isPaused) {
    timeline.isPaused = isPaused;
    document.getElementById("pause").textContent = isPaused ? "Continue" : "Pause";
    redraw();
}

/** Returns the top of the row of each thread. */
function threadRows() {
    const rows = new Map();
    for (const { thread } of events) if (!rows.has(thread)) rows.set(thread, 0);
    let y = ruler - timeline.scroll;
    for (const thread of [...rows.keys()].sort((a, b) => a - b)) {
        rows.set(thread, y);
        y += lane * 3 + 12;
    }
    timeline.height = y + timeline.scroll;
    return rows;
}

// ---- Drawing

/** Draws the visible part of the timeline. Returns the number of bars and ticks. */
function drawTimeline() {
    if (!data.live || !timeline.canvas.clientWidth) return 0;
    followEvents();
    const { canvas, context: pen } = timeline, w = canvas.clientWidth, h = canvas.clientHeight;
    const ratio = devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.globalAlpha = 1;
    pen.fillStyle = colors.back;
    pen.fillRect(0, 0, w, h);
    pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    pen.textBaseline = "middle";
    const rows = threadRows();
    drawRows(pen, rows, w);
    drawGaps(pen, w, h);
    placeBars(rows, w);
    for (const bar of timeline.bars) drawBar(pen, bar);
    drawArrows(pen);
    drawRuler(pen, w);
    if (!events.length) pen.fillText("No events so far.", timelineLabel, h / 2);
    return timeline.bars.length;
}

function drawRows(pen, rows, w) {
    for (const [thread, y] of rows) {
        pen.fillStyle = colors.line;
        pen.fillRect(0, y + lane * 3 + 6, w, 1);
        pen.fillStyle = colors.quiet;
        pen.fillText(`Thread ${thread}`, 8, y + lane * 1.5, timelineLabel - 14);
    }
}

function drawGaps(pen, w, h) {
    pen.strokeStyle = pen.fillStyle = colors.quiet;
    pen.lineWidth = 1;
    let last = -Infinity;
    for (const gap of gaps) {
        const x = xOf(gap.to - gap.shift - shortened / 2);
        if (x < timelineLabel || x > w || x - last < 6) continue;
        pen.globalAlpha = 0.35;
        pen.setLineDash([2, 4]);
        pen.strokeRect(x, ruler, 0, h);
        pen.setLineDash([]);
        pen.globalAlpha = 1;
        if (x - last > 70 && x < w - 220) {
            pen.textAlign = "center";
            pen.fillText(`${duration(gap.to - gap.from)} idle`, x, ruler / 2);
            pen.textAlign = "left";
            last = x;
        }
    }
}

/** Finds the rectangles of the visible events. Events that share their pixels with others have none. */
function placeBars(rows, w) {
    timeline.bars = [];
    const ends = new Map();
    const longest = events.reduce((longest, event) => Math.max(longest, event.right - event.left), 0);
    const last = firstEvent(timeline.from + timeline.span * 1.05);
    for (let index = firstEvent(timeline.from - longest); index < last; index++) {
        const event = events[index];
        if (event.right < timeline.from) continue;
        const row = laneOf[event.kind] ?? 0, y = rows.get(event.thread) + row * (lane + 1) + 2;
        const isBar = bars.has(event.kind);
        const x = Math.max(timelineLabel, xOf(event.left));
        const right = Math.min(w, isBar ? Math.max(xOf(event.right), x + 3) : x + 7);
        const key = event.thread * 8 + row * 2 + isBar, isImportant = event === selectedEvent || event.kind === "issue";
        if (!isImportant && !causes.has(event) && right - (ends.get(key) ?? -Infinity) < 1.5) continue;
        ends.set(key, Math.max(right, ends.get(key) ?? -Infinity));
        timeline.bars.push({ event, isBar, x, y, w: right - x, h: lane - 1 });
    }
}

function colorOf(event) {
    if (event.kind === "issue" || event.kind === "rollBack") return colors.issue;
    if (event.kind === "evaluation") return colors.computed;
    if (event.kind === "write") return colors.observable;
    return event.kind === "run" || event.kind === "effect" ? colors.reaction : colors.quiet;
}

function isMarked(event) {
    if (selectedEvent) return causes.has(event);
    return selected ? event.node === selected : true;
}

function drawBar(pen, { event, isBar, x, y, w, h }) {
    pen.globalAlpha = isMarked(event) || event.kind === "issue" ? 1 : 0.3;
    pen.fillStyle = pen.strokeStyle = colorOf(event);
    pen.lineWidth = 1;
    if (event.kind === "issue") {
        pen.fillRect(x - 1, y - 2, 3, lane * 3 + 4);
        pen.beginPath();
        pen.arc(x + 0.5, y + 3, 5, 0, Math.PI * 2);
        pen.fill();
    } else if (!isBar) {
        pen.beginPath();
        pen.moveTo(x, y + h);
        pen.lineTo(x + 3.5, y);
        pen.lineTo(x + 7, y + h);
        pen.fill();
    } else if (event.changed === 0) {
        // An evaluation that changed nothing is hollow.
        pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, w - 1), h - 1);
    } else pen.fillRect(x, y, w, h);
    if (isBar && w > 40 && isMarked(event)) drawBarName(pen, event, { x, y, w, h });
    if (event !== selectedEvent && !(selected && !selectedEvent && event.node === selected)) return;
    pen.globalAlpha = 1;
    pen.strokeStyle = colors.text;
    pen.lineWidth = event === selectedEvent ? 2.5 : 1.5;
    pen.strokeRect(x - 2, y - 2, w + 4, h + 4);
}

function drawBarName(pen, event, { x, y, w, h }) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w - 4, h);
    pen.clip();
    pen.fillStyle = event.changed === 0 ? colors.text : colors.panel;
    pen.fillText(subject(event), x + 5, y + h / 2 + 0.5);
    pen.restore();
}

/** Draws arrows from the causes of the selected event, or of the last event of the selected node. */
function drawArrows(pen) {
    const event = selectedEvent ?? (selected && events.findLast(({ node }) => node === selected));
    if (!event) return;
    const byEvent = new Map(timeline.bars.map((bar) => [bar.event, bar]));
    pen.globalAlpha = 0.9;
    pen.strokeStyle = pen.fillStyle = colors.text;
    pen.lineWidth = 1.3;
    for (const effect of causesOf(event)) {
        for (const id of effect.causes) {
            const from = byEvent.get(eventsById.get(id)), to = byEvent.get(effect);
            if (!from || !to) continue;
            const x1 = from.x + Math.min(from.w, 7), y1 = from.y + from.h / 2, x2 = to.x, y2 = to.y + to.h / 2;
            pen.beginPath();
            pen.moveTo(x1, y1);
            pen.bezierCurveTo(x1 + 16, y1, x2 - 16, y2, x2 - 4, y2);
            pen.stroke();
            pen.beginPath();
            for (const [x, y] of [[x2, y2], [x2 - 6, y2 - 3.5], [x2 - 6, y2 + 3.5]]) pen.lineTo(x, y);
            pen.fill();
        }
    }
}

/** Draws the length of a round time at the right end of the ruler. */
function drawRuler(pen, w) {
    const wanted = 100 / timelineScale(), power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * [5, 2, 1].find((factor) => power * factor <= wanted);
    const width = length * timelineScale(), x = w - width - 10;
    pen.globalAlpha = 1;
    pen.fillStyle = colors.back;
    pen.fillRect(x - 56, 0, width + 66, ruler - 1);
    pen.fillStyle = colors.text;
    pen.fillRect(x, ruler / 2, width, 1);
    pen.fillRect(x, ruler / 2 - 4, 1, 9);
    pen.fillRect(x + width, ruler / 2 - 4, 1, 9);
    pen.textAlign = "right";
    pen.fillText(duration(length), x - 6, ruler / 2);
    pen.textAlign = "left";
}

// ---- Moving and selecting

function zoomTimeline(factor, x = timeline.canvas.clientWidth / 2) {
    const at = timeline.from + (x - timelineLabel) / timelineScale();
    timeline.span = Math.min(1e13, Math.max(200, timeline.span / factor));
    timeline.from = at - (x - timelineLabel) / timelineScale();
    timeline.isZoomed = true;
    redraw();
}

function moveTimeline(x, y = 0) {
    timeline.from += x / timelineScale();
    const room = Math.max(0, (timeline.height ?? 0) - timeline.canvas.clientHeight);
    timeline.scroll = Math.min(room, Math.max(0, timeline.scroll + y));
    if (x) pause(true);
    redraw();
}

/** Shows an event, its causes and the events of its flush. */
function zoomToEvent(event) {
    const near = event.flush < 0 ? [] : events.filter(({ flush }) => flush === event.flush);
    const shown = [...causesOf(event), ...near];
    const left = shown.reduce((left, each) => Math.min(left, each.left), event.left);
    const right = shown.reduce((right, each) => Math.max(right, each.right), event.right);
    timeline.span = Math.max(1_000, (right - left) * 1.3);
    timeline.from = left - timeline.span * 0.1;
    timeline.isZoomed = false;
    pause(true);
}

/** Moves the timeline until an event is visible. */
function revealEvent(event) {
    if (event.right > timeline.from && event.left < timeline.from + timeline.span) return;
    timeline.from = event.left - timeline.span / 3;
    pause(true);
}

function barAt({ offsetX, offsetY }) {
    const isHit = ({ x, y, w, h }) =>
        offsetX >= x - 3 && offsetX <= x + w + 3 && offsetY >= y - 1 && offsetY <= y + h + 1;
    return timeline.bars.findLast(isHit)?.event ?? null;
}

followPointers(timeline.canvas, {
    move: moveTimeline, zoom: zoomTimeline, click: (event) => selectEvent(barAt(event)),
    hover: (event) => {
        const found = barAt(event);
        timeline.canvas.title = found ? `${sentence(found)}\n${found.text}`.trim() : "";
    },
});
timeline.canvas.addEventListener("dblclick", () => selectedEvent && zoomToEvent(selectedEvent));

/** Selects the next event before or after the selected one, of the same thread or of a neighbouring thread. */
function goToEvent(offset, isOtherThread) {
    const isShown = ({ kind, thread }) => kind !== "creation" && kind !== "end"
        && (!selectedEvent || (thread === selectedEvent.thread) !== isOtherThread);
    const start = selectedEvent ? events.indexOf(selectedEvent) : events.length;
    for (let index = start + offset; events[index]; index += offset) {
        if (!isShown(events[index])) continue;
        selectEvent(events[index]);
        revealEvent(events[index]);
        return;
    }
}

timeline.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = event.shiftKey ? {
        ArrowLeft: () => moveTimeline(-80), ArrowRight: () => moveTimeline(80),
        ArrowUp: () => moveTimeline(0, -40), ArrowDown: () => moveTimeline(0, 40), "+": () => zoomTimeline(1.4),
    }[event.key] : {
        ArrowLeft: () => goToEvent(-1, false), ArrowRight: () => goToEvent(1, false),
        ArrowUp: () => goToEvent(-1, true), ArrowDown: () => goToEvent(1, true),
        "+": () => zoomTimeline(1.4), "=": () => zoomTimeline(1.4), "-": () => zoomTimeline(1 / 1.4),
        Enter: () => selectedEvent && zoomToEvent(selectedEvent), " ": () => pause(!timeline.isPaused),
        End: () => pause(false),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
});
document.getElementById("pause").onclick = () => pause(!timeline.isPaused);

// ---- Texts

function duration(nanoseconds) {
    const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]].find(([, size]) => nanoseconds >= size) ?? ["ns", 1];
    return `${Number((nanoseconds / size).toPrecision(3)).toLocaleString("en")} ${unit}`;
}

/** Returns the name of the node of an event, or the site of a transaction. */
function subject(event) {
    if (event.node) return title(event.node);
    return event.kind === "transaction" ? short(event.text) : "";
}

/** Returns a line about an event: "evaluation total (changed), 12 µs". */
function sentence(event, name = subject(event)) {
    const kind = event.kind === "rollBack" ? "roll back" : event.kind;
    const changed = event.changed < 0 ? "" : event.changed ? " (changed)" : " (unchanged)";
    const time = bars.has(event.kind) ? `, ${duration(event.duration)}` : "";
    return `${kind} ${name}`.trim() + changed + time;
}
