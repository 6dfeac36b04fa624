// The drawing of the graph: a canvas with boxes and links. It can be zoomed and moved, and its boxes can be selected.
//
// Only the visible part is drawn, in as much detail as can be recognized. Colours come from the style, so the system's
// colours are used where the style uses them.
"use strict";
const canvas = document.getElementById("graph");
const context = canvas.getContext("2d");
const view = { x: 0, y: 0, scale: 1, isMoved: false };
let hovered = null, current = null, colors = {}, isDue = false;
/** Nodes to emphasize: the relatives of the selected node, matches of a search, and causes of a selected event. */
let related = null, matches = null, marked = null;
let matchingGroups = new Set(), markedGroups = new Set();

function readColors() {
    // light-dark() has to be resolved by an element.
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.forcedColorAdjust = "none";
    for (const name of ["back", "panel", "line", "text", "quiet", "edge", ...kinds, "recent", "issue"]) {
        probe.style.color = `var(--${name})`;
        colors[name] = getComputedStyle(probe).color;
    }
    probe.remove();
}

/** Draws everything before the next frame. */
function redraw() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
        isDue = false;
        updateScene();
        draw();
        drawTimeline();
    });
}

function resize() {
    for (const each of [canvas, timeline.canvas]) {
        const ratio = devicePixelRatio || 1;
        each.width = Math.round(each.clientWidth * ratio);
        each.height = Math.round(each.clientHeight * ratio);
    }
    redraw();
}

/** The ratio of width to height, in steps, so that a small change does not move the boxes. */
function ratioOfGraph() {
    return Math.max(0.4, Math.round(canvas.clientWidth / Math.max(1, canvas.clientHeight) * 4) / 4);
}

// ---- Emphasis

function contains(set, groupsOfSet, box) {
    if (box.node) return set.has(box.node);
    return box.group ? groupsOfSet.has(box.group) : false;
}

function isShown(box) {
    if (marked) return contains(marked, markedGroups, box);
    if (selected) return !dimsOthers() || related.has(box.node);
    return !matches || opened !== null || contains(matches, matchingGroups, box);
}

/** Whether the drawing dims everything that has nothing to do with the selected node. */
function dimsOthers() { return selected !== null && mode === "whole" && !isGrouped(); }

function isSelected(box) {
    if (box.node) return box.node === selected;
    return opened ? box.key === opened.key : Boolean(selected && box.group === selected.group && mode === "whole");
}

function hasChanged(box) {
    if (box.node) return isRecent(box.node);
    return mode === "last" || (box.group ? recentGroups().has(box.group) : false);
}

/** Returns the groups of the last change, with the number of members that belong to it. */
function recentGroups() {
    const change = lastChangeOfEvents();
    if (change.groups) return change.groups;
    change.groups = new Map();
    for (const { group } of change.nodes) count(change.groups, group, 1);
    return change.groups;
}

// ---- Texts

function boxTitle(box) { return box.node ? title(box.node) : box.title; }

/** Returns the second line of a box: a value, a site or the names of sources. */
function note(box) {
    if (!box.node) {
        const changed = mode === "last" ? 0 : recentGroups().get(box.group);
        return changed ? `${changed.toLocaleString("en")} changed · ${box.site}` : box.site;
    }
    const { name, site, sources } = box.node, value = valueOf(box.node);
    if (value !== undefined) return `= ${value.replace(/\s+/g, " ")}`;
    if (site && name !== site && !isTwin(box)) return short(site);
    return sources.length ? `reads ${sources.slice(0, 3).map(title).join(", ")}` : kinds[box.kind];
}

/** Whether another node of the scene has the same name and site. */
function isTwin(box) {
    if (!scene.twins) {
        scene.twins = new Map();
        for (const { node } of scene.boxes) if (node) count(scene.twins, node.name + node.site, 1);
    }
    return scene.twins.get(box.node.name + box.node.site) > 1;
}

const widths = new Map();
/** Returns as much of a text as fits. */
function fitted(text, room, font) {
    const key = `${font}${room}${text}`;
    if (widths.has(key)) return widths.get(key);
    if (widths.size > 5_000) widths.clear();
    let part = text.slice(0, 80);
    while (part.length > 1 && context.measureText(part).width > room) {
        part = part.slice(0, part.endsWith("…") ? -2 : -1) + "…";
    }
    widths.set(key, part);
    return part;
}

function runs(node) { return node.kind === 0 || !node.runCount ? "" : `${node.runCount.toLocaleString("en")}×`; }

// ---- Drawing

/** Draws the visible part of the graph. Returns the numbers of boxes and lines that it drew. */
function draw() {
    const ratio = devicePixelRatio || 1, { scale } = view, w = canvas.clientWidth, h = canvas.clientHeight;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = colors.back;
    context.fillRect(0, 0, w, h);
    if (!scene.boxes.length) drawEmpty(w, h);
    context.setTransform(ratio * scale, 0, 0, ratio * scale, -view.x * scale * ratio, -view.y * scale * ratio);
    const area = { left: view.x, top: view.y, right: view.x + w / scale, bottom: view.y + h / scale };
    const lines = drawLinks(area);
    const visible = scene.boxes.filter((box) => box.x < area.right && box.x + boxWidth > area.left
        && box.y < area.bottom && box.y + boxHeight > area.top);
    for (const box of visible) drawBox(box);
    context.globalAlpha = 1;
    return { nodes: visible.length, lines };
}

const emptyTexts = {
    whole: data.live ? "The graph is empty so far." : "The graph is empty: there are no live reactions.",
    near: "Select a node to see its sources and observers.",
    last: data.live ? "Nothing has changed so far." : "No reaction has run a second time.",
};

function drawEmpty(w, h) {
    context.font = "15px system-ui, 'DejaVu Sans', sans-serif";
    context.fillStyle = colors.quiet;
    context.textAlign = "center";
    context.fillText(emptyTexts[mode], w / 2, h / 2, w - 20);
    context.textAlign = "left";
}

function drawLinks(area) {
    const isAcross = (a, b) => Math.min(a.x, b.x) < area.right && Math.max(a.x, b.x) + boxWidth > area.left
        && Math.min(a.y, b.y) < area.bottom && Math.max(a.y, b.y) + boxHeight > area.top;
    const visible = scene.links.filter(({ source, observer }) => isAcross(source, observer));
    const isStrong = ({ source, observer }) => (marked || related || matches) && isShown(source) && isShown(observer)
        || source === current || observer === current;
    const isDimmed = marked || dimsOthers() || (matches && !selected && !opened);
    drawLines(visible.filter((each) => !isStrong(each)), colors.edge, isDimmed ? 0.2 : 0.8, 1);
    drawLines(visible.filter(isStrong), colors.text, 0.8, 1.6);
    if (view.scale > 0.35) visible.filter(({ count }) => count > 1).forEach(drawCount);
    return visible.length;
}

function drawLines(links, color, alpha, width) {
    context.globalAlpha = alpha;
    context.strokeStyle = color;
    context.lineWidth = Math.max(width, 0.6 / view.scale);
    context.beginPath();
    for (const each of links) {
        const { x1, y1, x2, y2, bend, isLoop, isSide } = curve(each);
        context.moveTo(x1, y1);
        if (isLoop) context.bezierCurveTo(x1 + 36, y1 - 34, x2 - 36, y2 - 34, x2, y2);
        else if (view.scale < 0.25) context.lineTo(x2, y2);
        else context.bezierCurveTo(x1 + bend, y1, isSide ? x2 + bend : x2 - bend, y2, x2, y2);
    }
    context.stroke();
}

function curve({ source, observer }) {
    const isLoop = source === observer, isSide = !isLoop && source.x === observer.x;
    const x1 = source.x + boxWidth, x2 = isSide ? x1 : observer.x;
    const y1 = source.y + (isLoop ? 8 : boxHeight / 2), y2 = observer.y + (isLoop ? 8 : boxHeight / 2);
    return { x1, y1, x2, y2, isLoop, isSide, bend: x2 > x1 ? Math.max(30, (x2 - x1) / 2) : isSide ? 30 : 60 };
}

/** Draws the number of edges between two groups, in the middle of their link. */
function drawCount(each) {
    const { x1, y1, x2, y2, isLoop } = curve(each);
    const text = each.count.toLocaleString("en"), x = (x1 + x2) / 2, y = isLoop ? y1 - 24 : (y1 + y2) / 2;
    context.globalAlpha = isShown(each.source) && isShown(each.observer) ? 1 : 0.3;
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const width = context.measureText(text).width + 8;
    context.fillStyle = colors.back;
    context.fillRect(x - width / 2, y - 8, width, 16);
    context.fillStyle = colors.quiet;
    context.fillText(text, x, y + 0.5);
    context.textAlign = "left";
}

/** Adds the outline of a kind: a pill, a hexagon or a flag. */
function outline(kind, x, y, w, h) {
    context.beginPath();
    const cut = h * 0.35;
    if (kind === 0) context.roundRect(x, y, w, h, h / 2);
    else if (kind === 1) {
        for (const [dx, dy] of [[cut, 0], [w - cut, 0], [w, h / 2], [w - cut, h], [cut, h], [0, h / 2]]) {
            context.lineTo(x + dx, y + dy);
        }
    } else for (const [dx, dy] of [[0, 0], [w, 0], [w - cut, h / 2], [w, h], [0, h]]) context.lineTo(x + dx, y + dy);
    context.closePath();
}

function drawBox(box) {
    const { x, y, kind } = box, color = colors[kinds[kind]], changed = hasChanged(box);
    const isReadable = view.scale > 0.35, isOpen = isSelected(box);
    context.globalAlpha = isShown(box) ? 1 : 0.25;
    context.strokeStyle = changed ? colors.recent : color;
    context.lineWidth = isOpen ? 3.5 : changed ? 3 : box === hovered ? 2.4 : 1.5;
    if (!box.node) {
        // A group looks like a stack.
        outline(kind, x + 5, y + 5, boxWidth, boxHeight);
        context.stroke();
    }
    outline(kind, x, y, boxWidth, boxHeight);
    context.fillStyle = isReadable ? colors.panel : changed ? colors.recent : color;
    context.fill();
    context.stroke();
    if (isOpen || box === current) {
        context.setLineDash(box === current ? [5, 4] : []);
        context.strokeStyle = colors.text;
        context.lineWidth = Math.max(2, 2 / view.scale);
        context.strokeRect(x - 6, y - 6, boxWidth + 12, boxHeight + 12);
        context.setLineDash([]);
    }
    if (isReadable) drawTexts(box, changed);
}

function drawTexts(box, changed) {
    const { x, y } = box, left = x + 20, right = x + boxWidth - 20;
    context.textBaseline = "middle";
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.fillStyle = colors.quiet;
    const times = box.node ? runs(box.node) : "", room = times ? context.measureText(times).width + 8 : 0;
    context.textAlign = "right";
    context.fillText(times, right, y + 13);
    context.textAlign = "left";
    context.fillStyle = !box.node || valueOf(box.node) === undefined ? colors.quiet : colors.text;
    context.fillText(fitted(note(box), right - left, "small"), left, y + 29);
    context.font = "600 13px system-ui, 'DejaVu Sans', sans-serif";
    context.fillStyle = colors.text;
    context.fillText(fitted(boxTitle(box), right - left - room, "bold"), left, y + 13);
    if (!changed) return;
    context.fillStyle = colors.recent;
    context.beginPath();
    context.arc(x + 12, y + 13, 4, 0, Math.PI * 2);
    context.fill();
}

// ---- Moving

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.005, view.scale * factor));
    view.x += x / view.scale - x / scale;
    view.y += y / view.scale - y / scale;
    view.scale = scale;
    view.isMoved = true;
    redraw();
}

function moveBy(x, y) {
    view.x += x / view.scale;
    view.y += y / view.scale;
    view.isMoved = true;
    redraw();
}

function lookAt(x, y, scale) {
    view.scale = scale;
    view.x = x - canvas.clientWidth / scale / 2;
    view.y = y - canvas.clientHeight / scale / 2;
    redraw();
}

/**
 * Fits the drawing into the area. Texts stay readable: a drawing that is too large begins at the selected box, or at
 * its start.
 */
function showWhole() {
    view.isMoved = false;
    if (!scene.boxes.length) return;
    const xs = scene.boxes.map((box) => box.x), ys = scene.boxes.map((box) => box.y);
    const left = Math.min(...xs), right = Math.max(...xs) + boxWidth;
    const top = Math.min(...ys), bottom = Math.max(...ys) + boxHeight;
    const w = canvas.clientWidth, head = headHeight(), h = canvas.clientHeight - head - footHeight;
    const scale = Math.min(1.25, w / (right - left + 50), h / (bottom - top + 30));
    const readable = Math.max(scale, w < 600 ? 0.55 : 0.5), focus = scene.boxes.find(isSelected);
    const place = (first, last, room, own) => {
        if ((last - first) * readable <= room || scale === readable) return (first + last) / 2;
        return own === undefined ? first + room / readable / 2 - 20 : own;
    };
    lookAt(
        place(left, right, w, focus && focus.x + boxWidth / 2),
        place(top, bottom, h, focus && focus.y + boxHeight / 2) - (head - footHeight) / 2 / readable, readable);
}

/** The height of the buttons that cover the bottom of the graph. */
const footHeight = 48;

/** The height of the buttons and the legend, which cover the top of the graph. */
function headHeight() { return document.getElementById("head").offsetHeight; }

// ---- Pointers

function boxAt(event) {
    const x = view.x + event.offsetX / view.scale, y = view.y + event.offsetY / view.scale;
    return scene.boxes.find(
        (box) => x >= box.x && x <= box.x + boxWidth && y >= box.y && y <= box.y + boxHeight) ?? null;
}

/** Calls `move` for drags, `zoom` for pinches and `click` for the rest. */
function followPointers(element, { move, zoom, click, hover }) {
    const pointers = new Map();
    let hasMoved = false;
    element.addEventListener("pointerdown", (event) => {
        element.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
        hasMoved = pointers.size > 1;
    });
    element.addEventListener("pointermove", (event) => {
        const old = pointers.get(event.pointerId), now = { x: event.offsetX, y: event.offsetY };
        if (!old) return hover(event);
        if (Math.hypot(now.x - old.x, now.y - old.y) > 3) hasMoved = true;
        if (!hasMoved) return;
        const other = [...pointers.values()].find((each) => each !== old);
        if (other) {
            const before = Math.hypot(old.x - other.x, old.y - other.y);
            const after = Math.hypot(now.x - other.x, now.y - other.y);
            if (before > 0) zoom(after / before, other.x, other.y);
        } else move(old.x - now.x, old.y - now.y);
        pointers.set(event.pointerId, now);
    });
    for (const kind of ["pointerup", "pointercancel"]) {
        element.addEventListener(kind, (event) => {
            pointers.delete(event.pointerId);
            if (kind === "pointerup" && !hasMoved) click(event);
        });
    }
    element.addEventListener("wheel", (event) => {
        event.preventDefault();
        const unit = event.deltaMode ? 0.05 : 0.0015;
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX || event.deltaY, 0);
        else zoom(Math.exp(-event.deltaY * unit), event.offsetX, event.offsetY);
    }, { passive: false });
}

function chooseBox(box) {
    if (!box) select(null);
    else if (box.node) choose(box.node);
    else openGroup(box);
}

followPointers(canvas, {
    move: moveBy, zoom, click: (event) => chooseBox(boxAt(event)),
    hover: (event) => {
        const box = boxAt(event);
        if (box === hovered) return;
        hovered = box;
        canvas.title = box ? [boxTitle(box), box.node ? box.node.site : box.site].filter(Boolean).join("\n") : "";
        redraw();
    },
});

// ---- Keys: arrows go from box to box, and move the drawing with Shift

function nearestBox([dx, dy]) {
    const from = current ?? scene.boxes.find(isSelected);
    if (!from) return scene.boxes[0];
    const distance = (box) => {
        const x = box.x - from.x, y = box.y - from.y, ahead = x * dx + y * dy;
        return ahead <= 0 ? Infinity : ahead + 2 * Math.abs(x * dy + y * dx);
    };
    return scene.boxes.reduce((best, box) => (distance(box) < distance(best) ? box : best), from);
}

/** Moves the drawing until a box is visible. */
function reveal(box) {
    const x = (box.x - view.x) * view.scale, y = (box.y - view.y) * view.scale;
    const isVisible = x >= 0 && y >= headHeight() && x + boxWidth * view.scale <= canvas.clientWidth
        && y + boxHeight * view.scale <= canvas.clientHeight;
    if (!isVisible) lookAt(box.x + boxWidth / 2, box.y + boxHeight / 2, view.scale);
    redraw();
}

canvas.addEventListener("keydown", (event) => {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow && event.shiftKey) moveBy(arrow[0] * 80, arrow[1] * 80);
    else if (arrow) {
        current = nearestBox(arrow) ?? null;
        if (current) {
            reveal(current);
            announce(`${kinds[current.kind]} ${boxTitle(current)}, ${note(current)}`);
        }
    } else if (event.key === "Enter" && current) chooseBox(current);
    else return;
    event.preventDefault();
});
canvas.addEventListener("blur", () => { current = null; redraw(); });
