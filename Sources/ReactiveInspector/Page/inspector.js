// The script of the page that shows a graph: lays the graph out in layers, draws it on a canvas, and answers questions
// about a node.
//
// A node is to the right of everything that it reads. Layers that are too tall are folded into several columns, so that
// a graph of thousands of sources is about as wide as it is high. Only what is visible is drawn, in as much detail as
// can be recognized.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const kinds = ["observable", "computed", "reaction"];
const nodes = data.nodes.map(([kind, name, site, runCount, changedAt, ranAt, ranBeforeAt], id) => ({
    id, kind, name, site, runCount, changedAt, ranAt, ranBeforeAt, sources: [], observers: [],
    text: `${name} ${site} ${kinds[kind]}`.toLowerCase(),
}));
for (let i = 0; i < data.edges.length; i += 2) {
    const source = nodes[data.edges[i]], observer = nodes[data.edges[i + 1]];
    source.observers.push(observer);
    observer.sources.push(source);
}
// A transaction makes several changes: the last one begins where the runs end that saw less than the newest change.
const newest = nodes.reduce((newest, node) => Math.max(newest, node.changedAt), 0);
const since = nodes.reduce((since, node) => {
    for (const at of [node.ranAt, node.ranBeforeAt]) if (at < newest) since = Math.max(since, at);
    return since;
}, 0);
const reran = nodes.filter(
    (node) => node.kind === 2 && node.runCount > 1 && node.ranBeforeAt < newest && newest <= node.ranAt);
for (const node of nodes) node.isRecent = reran.length > 0 && node.kind !== 2 && node.changedAt > since;
for (const node of reran) node.isRecent = node.sources.some((source) => source.isRecent);

// ---- Layout

const width = 190, height = 26, gapX = 90, gapY = 12;
layOut();

function layOut() {
    const waiting = nodes.map((node) => node.sources.length);
    const order = nodes.filter((node) => !node.sources.length);
    for (const node of nodes) node.layer = 0;
    for (let i = 0; i < order.length; i++) {
        for (const observer of order[i].observers) {
            observer.layer = Math.max(observer.layer, order[i].layer + 1);
            if (--waiting[observer.id] === 0) order.push(observer);
        }
    }
    // A source moves up to the layer before its first observer.
    for (const node of order.slice().reverse()) {
        if (!node.sources.length && node.observers.length) {
            node.layer = node.observers.reduce((layer, observer) => Math.min(layer, observer.layer), Infinity) - 1;
        }
    }
    const layers = [];
    for (const node of nodes) (layers[node.layer] ??= []).push(node);
    for (let i = 0; i < layers.length; i++) layers[i] ??= [];
    for (const layer of layers) layer.forEach((node, index) => { node.place = index / layer.length; });
    const mean = (others, node) =>
        others.length ? others.reduce((sum, other) => sum + other.place, 0) / others.length : node.place;
    for (let sweep = 0; sweep < 6; sweep++) {
        const isForward = sweep % 2 === 0;
        for (const layer of isForward ? layers : layers.slice().reverse()) {
            for (const node of layer) node.wish = mean(isForward ? node.sources : node.observers, node);
            layer.sort((a, b) => a.wish - b.wish || a.place - b.place);
            layer.forEach((node, index) => { node.place = index / layer.length; });
        }
    }
    const tallest = Math.max(14, Math.ceil(Math.sqrt(nodes.length) * 2.2));
    let x = 0;
    for (const layer of layers) {
        const columns = Math.ceil(layer.length / tallest) || 1;
        const rows = Math.ceil(layer.length / columns);
        layer.forEach((node, index) => {
            node.x = x + Math.floor(index / rows) * (width + 30);
            node.y = (index % rows - (Math.min(rows, layer.length) - 1) / 2) * (height + gapY);
        });
        x += columns * (width + 30) - 30 + gapX;
    }
}

// ---- Drawing

const canvas = document.getElementById("graph");
const context = canvas.getContext("2d");
const view = { x: 0, y: 0, scale: 1 };
let selected = null, hovered = null, related = null, matches = null, colors = {}, isDue = false;

function readColors() {
    // light-dark() has to be resolved by an element.
    const probe = document.body.appendChild(document.createElement("i"));
    const names = ["back", "panel", "line", "text", "quiet", "edge", ...kinds, "recent"];
    for (const name of names) {
        probe.style.color = `var(--${name})`;
        colors[name] = getComputedStyle(probe).color;
    }
    probe.remove();
}

function redraw() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; draw(); });
}

function resize() {
    const ratio = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    redraw();
}

function isShown(node) { return related ? related.has(node) : !matches || matches.has(node); }

/** Draws the visible part of the graph. Returns the numbers of nodes and lines that it drew. */
function draw() {
    const drawn = { nodes: 0, lines: 0 };
    const ratio = devicePixelRatio || 1, { scale } = view;
    const w = canvas.clientWidth, h = canvas.clientHeight;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.back;
    context.fillRect(0, 0, w, h);
    context.setTransform(ratio * scale, 0, 0, ratio * scale, -view.x * scale * ratio, -view.y * scale * ratio);
    const left = view.x, top = view.y, right = view.x + w / scale, bottom = view.y + h / scale;
    const isVisible = (node) => node.x < right && node.x + width > left && node.y < bottom && node.y + height > top;

    const line = (source, observer) => {
        drawn.lines += 1;
        const x1 = source.x + width, y1 = source.y + height / 2, x2 = observer.x, y2 = observer.y + height / 2;
        context.moveTo(x1, y1);
        if (scale < 0.25) context.lineTo(x2, y2);
        else {
            const bend = Math.max(30, Math.abs(x2 - x1) / 2);
            context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
        }
    };
    const isAcross = (a, b) => Math.min(a.x, b.x) < right && Math.max(a.x, b.x) + width > left
        && Math.min(a.y, b.y) < bottom && Math.max(a.y, b.y) + height > top;
    context.lineWidth = Math.max(1, 0.6 / scale);
    context.strokeStyle = colors.edge;
    context.globalAlpha = related || matches ? 0.12 : nodes.length > 2000 ? 0.25 : 0.7;
    context.beginPath();
    for (const node of nodes) for (const observer of node.observers) if (isAcross(node, observer)) line(node, observer);
    context.stroke();
    if (related) {
        context.globalAlpha = 0.9;
        context.strokeStyle = colors[kinds[selected.kind]];
        context.beginPath();
        for (const node of related) {
            for (const observer of node.observers) {
                if (related.has(observer) && isAcross(node, observer)) line(node, observer);
            }
        }
        context.stroke();
    }

    const isReadable = scale > 0.35;
    if (isReadable) { context.font = "13px system-ui, 'DejaVu Sans', sans-serif"; context.textBaseline = "middle"; }
    for (const node of nodes) {
        if (!isVisible(node)) continue;
        drawn.nodes += 1;
        const color = colors[kinds[node.kind]];
        context.globalAlpha = isShown(node) ? 1 : 0.15;
        if (!isReadable) {
            context.fillStyle = node.isRecent ? colors.recent : color;
            context.fillRect(node.x, node.y, width, height);
        } else {
            context.beginPath();
            context.roundRect(node.x, node.y, width, height, node.kind === 0 ? height / 2 : node.kind === 1 ? 5 : 12);
            context.fillStyle = colors.panel;
            context.fill();
            context.lineWidth = node === selected ? 3 : node === hovered ? 2.2 : 1.4;
            context.strokeStyle = node.isRecent ? colors.recent : color;
            context.stroke();
            context.fillStyle = color;
            context.fillRect(node.x + 10, node.y + height / 2 - 4, 8, 8);
            context.fillStyle = colors.text;
            context.fillText(fitted(node), node.x + 25, node.y + height / 2 + 0.5);
            if (node.kind !== 0) {
                context.fillStyle = colors.quiet;
                context.textAlign = "right";
                context.fillText(runs(node), node.x + width - 10, node.y + height / 2 + 0.5);
                context.textAlign = "left";
            }
        }
        if (node === selected && !isReadable) {
            context.strokeStyle = colors.text;
            context.lineWidth = 3 / scale;
            context.strokeRect(node.x, node.y, width, height);
        }
    }
    context.globalAlpha = 1;
    return drawn;
}

/** As much of the name as fits. */
function fitted(node) {
    if (node.fitted) return node.fitted;
    const room = width - (node.kind === 0 ? 36 : 75);
    let text = node.name.replace(/\s+/g, " ").slice(0, 60);
    while (text.length > 1 && context.measureText(text).width > room) {
        text = text.slice(0, text.endsWith("…") ? -2 : -1) + "…";
    }
    return node.fitted = text;
}

// ---- Moving

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.005, view.scale * factor));
    view.x += x / view.scale - x / scale;
    view.y += y / view.scale - y / scale;
    view.scale = scale;
    redraw();
}

function fit(shown, largest) {
    if (!shown.length) return;
    const box = shown.reduce((box, node) => ({
        left: Math.min(box.left, node.x), right: Math.max(box.right, node.x + width),
        top: Math.min(box.top, node.y), bottom: Math.max(box.bottom, node.y + height),
    }), { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity });
    const scale = Math.min(
        largest, canvas.clientWidth / (box.right - box.left + 60), canvas.clientHeight / (box.bottom - box.top + 60));
    lookAt((box.left + box.right) / 2, (box.top + box.bottom) / 2, scale);
}

function lookAt(x, y, scale) {
    view.scale = scale;
    view.x = x - canvas.clientWidth / scale / 2;
    view.y = y - canvas.clientHeight / scale / 2;
    redraw();
}

function showWhole() { fit(nodes, 1.25); }

/** Shows a node with its relatives, or alone if they are too many to be read. */
function show(node) {
    fit([...related], 1.25);
    if (view.scale < 0.45) lookAt(node.x + width / 2, node.y + height / 2, 0.8);
}

function nodeAt(event) {
    const x = view.x + event.offsetX / view.scale, y = view.y + event.offsetY / view.scale;
    return nodes.find((node) => x >= node.x && x <= node.x + width && y >= node.y && y <= node.y + height) ?? null;
}

const pointers = new Map();
let hasMoved = false;
canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    hasMoved = false;
});
canvas.addEventListener("pointermove", (event) => {
    const old = pointers.get(event.pointerId);
    if (!old) {
        const node = nodeAt(event);
        if (node !== hovered) {
            hovered = node;
            canvas.title = node ? `${node.name}\n${node.site}` : "";
            redraw();
        }
        return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    if (Math.hypot(now.x - old.x, now.y - old.y) > 3) hasMoved = true;
    if (!hasMoved) return;
    const [first, second] = [...pointers.values()];
    if (second) {
        const other = first === old ? second : first;
        const before = Math.hypot(old.x - other.x, old.y - other.y);
        const after = Math.hypot(now.x - other.x, now.y - other.y);
        if (before > 0) zoom(after / before, other.x, other.y);
    } else {
        view.x -= (now.x - old.x) / view.scale;
        view.y -= (now.y - old.y) / view.scale;
    }
    pointers.set(event.pointerId, now);
    redraw();
});
for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, (event) => {
        pointers.delete(event.pointerId);
        if (kind === "pointerup" && !hasMoved) select(nodeAt(event));
    });
}
canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
}, { passive: false });
canvas.addEventListener("keydown", (event) => {
    const step = 80 / view.scale;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!move) return;
    view.x += move[0];
    view.y += move[1];
    event.preventDefault();
    redraw();
});
document.addEventListener("keydown", (event) => {
    if (event.target.type === "search") return;
    const action = {
        "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), "0": showWhole,
        "/": () => search.focus(), Escape: () => select(null),
    }[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
});
document.getElementById("closer").onclick = () => zoom(1.4);
document.getElementById("farther").onclick = () => zoom(1 / 1.4);
document.getElementById("whole").onclick = showWhole;

// ---- Asking

const search = document.getElementById("search"), recent = document.getElementById("recent");
const details = document.getElementById("details");

function lookFor() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isMatch = (node) => (!recent.checked || node.isRecent) && words.every((word) => node.text.includes(word));
    matches = words.length || recent.checked ? new Set(nodes.filter(isMatch)) : null;
    selected = related = null;
    describe();
    redraw();
}
search.addEventListener("input", lookFor);
recent.addEventListener("change", lookFor);
search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && matches?.size) choose(matches.values().next().value);
    if (event.key === "Escape") { search.value = ""; lookFor(); }
});

/** Everything that a node depends on, and everything that depends on it. */
function relatives(node) {
    const found = new Set([node]);
    for (const side of ["sources", "observers"]) {
        const walk = [node], seen = new Set([node]);
        while (walk.length) {
            for (const next of walk.pop()[side]) {
                if (seen.has(next)) continue;
                seen.add(next);
                found.add(next);
                walk.push(next);
            }
        }
    }
    return found;
}

function select(node) {
    selected = node;
    related = node && relatives(node);
    describe();
    redraw();
}

function choose(node) {
    select(node);
    show(node);
}

/** Returns the paths from writes to a reaction: the nodes that changed between its last two runs. */
function causes(reaction) {
    const paths = [], seen = new Set();
    const walk = [[reaction, []]];
    while (walk.length && paths.length < 20) {
        const [node, path] = walk.shift();
        for (const source of node.sources) {
            const isCause = source.changedAt > reaction.ranBeforeAt && source.changedAt <= reaction.ranAt;
            if (seen.has(source) || !isCause) continue;
            seen.add(source);
            if (source.kind === 0) paths.push([source, ...path]);
            else walk.push([source, [source, ...path]]);
        }
    }
    return paths;
}

function add(parent, tag, text, kind) {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
}

function runs(node) {
    return node.kind === 0 ? "" : `${node.runCount}×`;
}

function list(title, items, note = () => "") {
    if (!items.length) return;
    add(details, "h2", `${title} (${items.length})`);
    const ul = add(details, "ul");
    for (const node of items.slice(0, 100)) {
        const button = add(add(ul, "li"), "button");
        button.type = "button";
        add(button, "span", node.name, kinds[node.kind]);
        add(button, "span", note(node));
        button.onclick = () => choose(node);
    }
    if (items.length > 100) add(details, "p", `and ${items.length - 100} more`, "quiet");
}

function describe() {
    const count = (kind) => nodes.filter((node) => node.kind === kind).length;
    const plural = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
    document.getElementById("summary").textContent = matches
        ? `${plural(matches.size, "node")} of ${nodes.length.toLocaleString("en")}`
        : [...kinds.map((word, kind) => plural(count(kind), word)), plural(data.edges.length / 2, "edge")].join(", ");
    details.replaceChildren();
    if (!nodes.length) {
        add(details, "p", "The graph is empty: there are no live reactions.");
    } else if (selected) {
        add(details, "h1", selected.name);
        add(details, "p", kinds[selected.kind], `kind ${kinds[selected.kind]}`);
        if (selected.site !== selected.name) add(add(details, "p"), "code", selected.site);
        if (selected.kind !== 0) {
            const times = selected.runCount === 1 ? "once" : plural(selected.runCount, "time");
            add(details, "p", `It has run ${times}.`);
        }
        if (selected.kind === 2) {
            const paths = selected.runCount > 1 ? causes(selected) : [];
            if (paths.length) {
                add(details, "h2", "Causes of the last run");
                const ul = add(details, "ul");
                for (const path of paths) add(add(ul, "li"), "code", path.map((node) => node.name).join(" → "));
            }
        } else {
            add(details, "p", `It is ${selected.isRecent ? "" : "not "}part of the last change.`, "quiet");
        }
        list("Reads", selected.sources, runs);
        list("Read by", selected.observers, runs);
    } else if (matches) {
        list("Matches", [...matches], runs);
    } else {
        for (const [kind, title] of [[2, "Reactions"], [1, "Computeds"]]) {
            const busy = nodes.filter((node) => node.kind === kind).sort((a, b) => b.runCount - a.runCount);
            if (busy.length) list(`${title} by number of runs`, busy, runs);
        }
        const popular = nodes.filter((node) => node.observers.length > 1)
            .sort((a, b) => b.observers.length - a.observers.length);
        list("Nodes by number of observers", popular.slice(0, 20), (node) => `${node.observers.length}`);
    }
}

readColors();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); redraw(); });
new ResizeObserver(resize).observe(canvas);
resize();
showWhole();
describe();
