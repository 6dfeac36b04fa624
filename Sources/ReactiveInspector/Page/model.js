// The model of the page: nodes, their edges, groups of nodes, and events.
//
// A static page contains a graph once. A live page receives messages and applies each of them in time proportional to
// its length. The other scripts read the model and never change it.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const kinds = ["observable", "computed", "reaction"];

/** The live nodes, in no particular order. */
const nodes = [];
const nodesById = new Map();
/** The last nodes that were freed: events may still refer to them. */
const endedById = new Map();
const model = {
    changes: 0, edgeCount: 0, counts: [0, 0, 0], dropped: 0,
    /** Increases with each change of nodes and edges: drawings compare it. */
    structure: 0,
    /** Increases with each event. */
    activity: 0,
};

// ---- Nodes and edges

function setNode([id, kind, name, site, runCount = 0, changedAt = 0, ranAt = 0, ranBeforeAt = 0, sourceIds = []]) {
    let node = nodesById.get(id);
    if (!node) {
        node = { id, kind, name, site, sources: [], observers: new Set(), index: nodes.length, group: null };
        nodes.push(node);
        nodesById.set(id, node);
        model.counts[kind] += 1;
        model.structure += 1;
        join(node);
    } else if (node.name !== name || node.site !== site) {
        Object.assign(node, { name, site, text: undefined });
        model.structure += 1;
    }
    if (changedAt !== node.changedAt) node.isValueOld = true;
    Object.assign(node, { runCount, changedAt, ranAt, ranBeforeAt, sourceIds });
    return node;
}

/** Connects a node to its sources. All nodes of the message have to be known. */
function connect(node) {
    const { sources, sourceIds } = node;
    node.sourceIds = null;
    if (sourceIds.length === sources.length && sourceIds.every((id, index) => sources[index].id === id)) return;
    for (const source of sources) removeEdge(source, node);
    node.sources = [...new Set(sourceIds)].map((id) => nodesById.get(id)).filter(Boolean);
    for (const source of node.sources) addEdge(source, node);
}

function addEdge(source, observer) {
    source.observers.add(observer);
    count(source.group.links, observer.group, 1);
    model.edgeCount += 1;
    model.structure += 1;
}

function removeEdge(source, observer) {
    if (!source.observers.delete(observer)) return;
    count(source.group.links, observer.group, -1);
    model.edgeCount -= 1;
    model.structure += 1;
}

function count(counts, key, difference) {
    const value = (counts.get(key) ?? 0) + difference;
    if (value) counts.set(key, value);
    else counts.delete(key);
}

function removeNode(id) {
    const node = nodesById.get(id);
    if (!node) return;
    for (const source of node.sources) removeEdge(source, node);
    for (const observer of [...node.observers]) {
        removeEdge(node, observer);
        observer.sources = observer.sources.filter((source) => source !== node);
    }
    leave(node);
    nodesById.delete(id);
    const last = nodes.pop();
    if (last !== node) {
        nodes[node.index] = last;
        last.index = node.index;
    }
    model.counts[node.kind] -= 1;
    model.structure += 1;
    Object.assign(node, { isEnded: true, sources: [] });
    endedById.set(id, node);
    if (endedById.size > 5_000) endedById.delete(endedById.keys().next().value);
}

/** Returns the text for searches. */
function searchText(node) { return node.text ??= `${node.name} ${node.site} ${kinds[node.kind]}`.toLowerCase(); }

/** Returns the text of the value, unless the value is unknown or has changed since then. */
function valueOf(node) { return node.isValueOld && node !== selected ? undefined : node.value; }

/** Returns a site without its folders. */
function short(site) { return site.replace(/^.*[/\\]/, ""); }

function title(node) { return node.name === node.site ? short(node.name) : node.name.replace(/\s+/g, " "); }

// ---- Groups: nodes of one kind that share their site, or whose names differ only in digits

const groups = new Set();
const groupsByKey = new Map();

function join(node) {
    const keys = [];
    if (node.site) keys.push(`${node.kind} site ${node.site}`);
    const pattern = node.name.replace(/\d+/g, "#");
    if (node.name !== node.site && (pattern !== node.name || !node.site)) keys.push(`${node.kind} name ${pattern}`);
    let group = keys.map((key) => groupsByKey.get(key)).find(Boolean);
    if (!group) {
        group = { kind: node.kind, members: new Set(), links: new Map(), keys: new Set(), pattern: null };
        groups.add(group);
    }
    for (const key of keys) {
        if (groupsByKey.has(key)) continue;
        groupsByKey.set(key, group);
        group.keys.add(key);
    }
    group.members.add(node);
    group.pattern = group.pattern === null ? node.name : commonName(group.pattern, node.name);
    node.group = group;
}

function leave(node) {
    const { group } = node;
    group.members.delete(node);
    if (group.members.size) return;
    groups.delete(group);
    for (const key of group.keys) groupsByKey.delete(key);
}

/** Returns the beginning that two names share, with … for the rest. */
function commonName(a, b) {
    if (a === b) return a;
    const stem = a.endsWith("…") ? a.slice(0, -1) : a;
    let length = 0;
    while (length < stem.length && stem[length] === b[length]) length += 1;
    return stem.slice(0, length).replace(/\d+$/, "") + "…";
}

function groupSite(group) { return group.members.values().next().value?.site ?? ""; }

/** Returns the title of a group: "Cell" for "Cell A1" and "Cell B2", or its site. */
function groupTitle(group) {
    const first = group.members.values().next().value;
    if (!first) return "";
    if (group.members.size === 1) return title(first);
    const common = group.pattern.replace(/[\s…_\-.,:;#(\[{/]+$/, "");
    return common.length > 1 && first.name !== first.site ? common : short(first.site) || `${kinds[group.kind]}s`;
}

// ---- Events: the last 20,000, in the order of their starts

const eventLimit = 20_000;
let events = [];
const eventsById = new Map();
/** Idle times, which the timeline shortens. A position is a time without them. */
let gaps = [];
const shortest = 200_000, shortened = 20_000;
let busyUntil = 0;

function addEvent([id, kind, nodeId, thread, start, duration, changed, causes, flush, text]) {
    const event = {
        id, kind, thread, start, duration, changed, causes, flush, text,
        node: nodesById.get(nodeId) ?? endedById.get(nodeId) ?? null,
    };
    if (events.length && start - busyUntil > shortest) {
        const before = gaps.at(-1)?.shift ?? 0;
        gaps.push({ from: busyUntil, to: start, shift: before + start - busyUntil - shortened });
    }
    busyUntil = Math.max(busyUntil, start + duration);
    event.left = position(start);
    event.right = position(start + duration);
    let index = events.length;
    while (index && events[index - 1].start > start) index -= 1;
    if (index === events.length) events.push(event);
    else events.splice(index, 0, event);
    eventsById.set(id, event);
    model.activity += 1;
}

/** Returns the position of a time on the timeline. */
function position(time) {
    let low = 0, high = gaps.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (gaps[middle].from < time) low = middle + 1;
        else high = middle;
    }
    const gap = gaps[low - 1];
    if (!gap) return time;
    const end = gap.to - gap.shift;
    return time < gap.to ? end - shortened * (gap.to - time) / (gap.to - gap.from) : time - gap.shift;
}

function forgetOldEvents() {
    if (events.length < eventLimit * 1.1) return;
    for (const event of events.splice(0, events.length - eventLimit)) eventsById.delete(event.id);
    // The shift of the gap before the first event stays.
    const first = gaps.findIndex((gap) => gap.to > events[0].start);
    gaps.splice(0, (first < 0 ? gaps.length : first) - 1);
}

/** Returns an event with its direct and indirect causes. */
function causesOf(event, limit = 200) {
    const found = new Set([event]);
    for (const each of found) {
        for (const id of each.causes) if (eventsById.has(id) && found.size < limit) found.add(eventsById.get(id));
    }
    return found;
}

/** Returns paths from writes to an event. The event is last. */
function causePaths(event, limit = 8) {
    const paths = [], waiting = [[event]], seen = new Set([event]);
    while (waiting.length && paths.length < limit) {
        const path = waiting.shift();
        const sources = path[0].causes.map((id) => eventsById.get(id)).filter((cause) => cause && !seen.has(cause));
        for (const source of sources) seen.add(source);
        if (!sources.length && path.length > 1 && !path[0].causes.length) paths.push(path);
        for (const source of sources) waiting.push([source, ...path]);
    }
    return paths;
}

// ---- The last change

let lastChange = { activity: -1, nodes: new Set(), links: [] };

/** Returns the nodes of the last change: those that were written, that changed and that ran; with pairs of causes. */
function lastChangeOfEvents() {
    if (lastChange.activity === model.activity) return lastChange;
    lastChange = { activity: model.activity, nodes: new Set(), links: [] };
    const isPart = ({ kind, changed }) =>
        kind === "write" || kind === "run" || kind === "effect" || (kind === "evaluation" && changed === 1);
    const end = events.findLastIndex(isPart);
    if (end < 0) return lastChange;
    const found = causesOf(events[end], 5_000), { flush } = events[end];
    for (let index = end; flush >= 0 && index > Math.max(-1, end - 5_000); index--) {
        if (events[index].flush !== flush || !isPart(events[index])) continue;
        for (const event of causesOf(events[index])) found.add(event);
    }
    for (const event of found) {
        if (!event.node || !isPart(event)) continue;
        lastChange.nodes.add(event.node);
        for (const id of event.causes) {
            const cause = eventsById.get(id);
            if (cause?.node && cause.node !== event.node && isPart(cause)) {
                lastChange.links.push([cause.node, event.node]);
            }
        }
    }
    return lastChange;
}

/** Finds the last change of a static page, from the numbers of changes that the runs have seen. */
function markLastChange() {
    // A transaction makes several changes: the last one begins where the runs end that saw less than the newest change.
    const newest = nodes.reduce((newest, node) => Math.max(newest, node.changedAt), 0);
    const since = nodes.reduce((since, node) => {
        for (const at of [node.ranAt, node.ranBeforeAt]) if (at < newest) since = Math.max(since, at);
        return since;
    }, 0);
    const reran = nodes.filter(
        (node) => node.kind === 2 && node.runCount > 1 && node.ranBeforeAt < newest && newest <= node.ranAt);
    if (!reran.length) return;
    const marked = new Set(nodes.filter((node) => node.kind !== 2 && node.changedAt > since));
    for (const node of reran) if (node.sources.some((source) => marked.has(source))) marked.add(node);
    lastChange = { activity: 0, nodes: marked, links: [] };
}

function isRecent(node) { return lastChangeOfEvents().nodes.has(node); }

// ---- Messages

/** Removes everything: a stream has been opened again. */
function forget() {
    nodes.length = events.length = gaps.length = busyUntil = 0;
    for (const map of [nodesById, endedById, eventsById, groups, groupsByKey]) map.clear();
    Object.assign(model, { changes: 0, edgeCount: 0, counts: [0, 0, 0], dropped: 0 });
    model.structure += 1;
    model.activity += 1;
}

function apply(message) {
    const updated = (message.nodes ?? []).map(setNode);
    for (const node of updated) connect(node);
    for (const id of message.ended ?? []) removeNode(id);
    for (const event of message.events ?? []) addEvent(event);
    forgetOldEvents();
    model.changes = message.changes ?? model.changes;
    model.dropped += message.dropped ?? 0;
}

if (!data.live) {
    const sources = data.nodes.map(() => []);
    for (let i = 0; i < data.edges.length; i += 2) sources[data.edges[i + 1]].push(data.edges[i]);
    apply({ changes: data.changes, nodes: data.nodes.map((node, id) => [id, ...node, sources[id]]) });
    markLastChange();
}
