// The scenes of the graph: the whole graph, the neighbourhood of a node, and the last change.
//
// A scene has boxes and links. A box is a node, a group of nodes or the rest of a list. Graphs of more than 150 nodes
// are drawn in groups, so a scene never has many more boxes than that.
"use strict";
const largestScene = 150, largestSide = 9;
const scenes = { whole: wholeScene, near: neighbourhood, last: lastChangeScene };
let mode = "whole", selected = null, scene = { boxes: [], links: [] };
/** The group whose members are listed. */
let opened = null;

function nodeBox(node) { return { key: `node ${node.id}`, node, kind: node.kind, sources: [], observers: [] }; }

/** Returns a box for several nodes. `members` returns the nodes. */
function groupBox(key, kind, title, size, site, members) {
    return {
        key, kind, title: `${title} · ${size.toLocaleString("en")}`, name: title, size, site, members, sources: [],
        observers: [],
    };
}

function boxOfGroup(group) {
    const [first] = group.members;
    if (group.members.size === 1) return nodeBox(first);
    return Object.assign(
        groupBox(
            `group of ${first.id}`, group.kind, groupTitle(group), group.members.size, short(groupSite(group)),
            () => [...group.members]),
        { group });
}

function link(scene, source, observer, count) {
    scene.links.push({ source, observer, count });
    if (source === observer) return;
    source.observers.push(observer);
    observer.sources.push(source);
}

// ---- The whole graph

function isGrouped() { return nodes.length > largestScene; }

function wholeScene() { return isGrouped() ? groupScene() : sceneOf(nodes); }

/** Returns a scene of these nodes and the edges between them. */
function sceneOf(shown) {
    const scene = { boxes: shown.map(nodeBox), links: [] };
    const boxes = new Map(scene.boxes.map((box) => [box.node, box]));
    for (const box of scene.boxes) {
        for (const source of box.node.sources) if (boxes.has(source)) link(scene, boxes.get(source), box, 1);
    }
    return scene;
}

function groupScene() {
    const boxes = new Map();
    const bySize = [...groups].sort((a, b) => b.members.size - a.members.size);
    for (const group of bySize.slice(0, 120)) boxes.set(group, boxOfGroup(group));
    // Too many groups: the small ones share a box for each kind.
    for (const kind of [0, 1, 2]) {
        const rest = bySize.slice(120).filter((group) => group.kind === kind);
        if (!rest.length) continue;
        const size = rest.reduce((sum, group) => sum + group.members.size, 0);
        const box = groupBox(
            `other ${kind}`, kind, `Other ${kinds[kind]}s`, size, `${rest.length} groups`,
            () => rest.flatMap((group) => [...group.members]));
        for (const group of rest) boxes.set(group, box);
    }
    const scene = { boxes: [...new Set(boxes.values())], links: [] };
    const counts = new Map();
    for (const [group, box] of boxes) {
        if (!counts.has(box)) counts.set(box, new Map());
        for (const [observer, number] of group.links) count(counts.get(box), boxes.get(observer), number);
    }
    for (const [source, observers] of counts) {
        for (const [observer, number] of observers) link(scene, source, observer, number);
    }
    return scene;
}

// ---- The neighbourhood of a node: two levels of sources, two of observers

function neighbourhood() {
    const scene = { boxes: [], links: [] };
    if (!selected) return scene;
    const center = Object.assign(nodeBox(selected), { column: 0 });
    const known = new Map([[selected, center]]);
    scene.boxes.push(center);
    for (const side of [-1, 1]) {
        const first = addLevel(scene, known, [center], side);
        addLevel(scene, known, first, side * 2);
    }
    for (const box of known.values()) {
        for (const source of box.node.sources) if (known.has(source)) link(scene, known.get(source), box, 1);
    }
    scene.place = placeNeighbourhood;
    return scene;
}

/** Adds the sources or observers of the boxes to a column, and a box for those that do not fit. */
function addLevel(scene, known, boxes, column) {
    const found = new Map(), limit = 20_000;
    for (const box of boxes) {
        for (const node of column < 0 ? box.node.sources : box.node.observers) {
            if (!known.has(node) && !found.has(node) && found.size < limit) found.set(node, box);
        }
    }
    const all = [...found.keys()];
    const changed = lastChangeOfEvents().nodes;
    const first = all.length > largestSide ? all.toSorted((a, b) => changed.has(b) - changed.has(a)) : all;
    const level = first.slice(0, largestSide).map((node) => Object.assign(nodeBox(node), { column }));
    for (const box of level) known.set(box.node, box);
    scene.boxes.push(...level);
    const rest = first.slice(largestSide);
    if (rest.length) {
        const more = groupBox(
            `more ${column}`, rest[0].kind, "and more", rest.length, column < 0 ? "sources" : "observers", () => rest);
        more.title = `and ${rest.length.toLocaleString("en")}${found.size === limit ? " or" : ""} more`;
        more.name = column < 0 ? "More sources" : "More observers";
        more.column = column;
        scene.boxes.push(more);
        const readers = new Set(rest.map((node) => found.get(node)));
        for (const box of readers) {
            if (column < 0) scene.links.push({ source: more, observer: box, count: 1 });
            else scene.links.push({ source: box, observer: more, count: 1 });
        }
    }
    return level;
}

function placeNeighbourhood(scene) {
    for (const column of [-2, -1, 0, 1, 2]) {
        const boxes = scene.boxes.filter((box) => box.column === column);
        boxes.forEach((box, row) => {
            box.x = column * (boxWidth + gapX);
            box.y = (row - (boxes.length - 1) / 2) * (boxHeight + gapY);
        });
    }
}

// ---- The last change

function lastChangeScene() {
    const change = lastChangeOfEvents();
    if (change.nodes.size > 30) return groupedChange(change);
    const scene = sceneOf([...change.nodes]);
    const boxes = new Map(scene.boxes.map((box) => [box.node, box]));
    // An observer may have dropped its source since then.
    for (const [source, observer] of change.links) {
        if (!boxes.get(observer).sources.includes(boxes.get(source))) {
            link(scene, boxes.get(source), boxes.get(observer), 1);
        }
    }
    return scene;
}

function groupedChange(change) {
    const parts = new Map();
    for (const node of change.nodes) {
        if (!parts.has(node.group)) parts.set(node.group, []);
        parts.get(node.group).push(node);
    }
    const boxes = new Map();
    for (const [group, members] of parts) {
        const box = members.length === 1 ? nodeBox(members[0]) : groupBox(
            `changed ${members[0].id}`, group.kind, groupTitle(group), members.length,
            `of ${group.members.size.toLocaleString("en")}`, () => members);
        boxes.set(group, box);
    }
    const scene = { boxes: [...boxes.values()], links: [] }, counts = new Map();
    for (const node of change.nodes) {
        for (const source of node.sources) {
            if (!change.nodes.has(source)) continue;
            const from = boxes.get(source.group);
            if (!counts.has(from)) counts.set(from, new Map());
            count(counts.get(from), boxes.get(node.group), 1);
        }
    }
    for (const [source, observers] of counts) {
        for (const [observer, number] of observers) link(scene, source, observer, number);
    }
    return scene;
}

// ---- Building

/** The mode, the version of the model and the selection that the scene was built for. */
let builtFor = "";

/** Builds the scene again if the model has changed. Boxes keep their positions if the same ones are linked. */
function updateScene() {
    const isStale = mode === "last" ? model.activity : model.structure;
    const key = [mode, isStale, mode === "near" ? selected?.id : "", ratioOfGraph()].join();
    if (key === builtFor) return;
    builtFor = key;
    const next = scenes[mode]();
    next.shape = [mode, ratioOfGraph(), ...next.boxes.map((box) => box.key)].join() + next.links
        .map(({ source, observer }) => `${source.key}>${observer.key}`).join();
    if (next.shape === scene.shape) {
        next.boxes.forEach((box, index) => {
            const { x, y } = scene.boxes[index];
            Object.assign(box, { x, y });
        });
        scene = next;
        return;
    }
    if (next.place) next.place(next);
    else if (next.boxes.length) layOut(next.boxes, ratioOfGraph());
    scene = next;
    current = scene.boxes.find((box) => box.key === current?.key) ?? null;
    if (!view.isMoved) showWhole();
}

function setMode(next) {
    mode = next;
    view.isMoved = false;
    for (const button of document.querySelectorAll("[data-mode]")) {
        button.setAttribute("aria-pressed", button.dataset.mode === mode);
    }
    redraw();
}
