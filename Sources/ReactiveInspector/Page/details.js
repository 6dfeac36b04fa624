// The panel: the search, lists of nodes, and details of the selected node, group or event.
//
// Names, sites and values belong to the program: they are only ever set as text.
"use strict";
const search = document.getElementById("search"), recent = document.getElementById("recent");
const details = document.getElementById("details");
const longestList = 100;
let filterText = "";

// ---- Selecting

function select(node) {
    selected = node;
    related = node && relatives(node);
    opened = selectedEvent = marked = null;
    causes = new Set();
    if (!node && mode === "near") setMode("whole");
    describe();
    redraw();
    if (node) ask(node);
}

/** Selects a node and shows it: in a large graph with its neighbours only. */
function choose(node) {
    const isMissing = mode === "last" && !isRecent(node);
    if (!node.isEnded && (mode === "near" || isGrouped() || isMissing)) setMode("near");
    select(node);
    const box = mode === "near" ? null : scene.boxes.find(isSelected);
    if (box) reveal(box);
}

function showNeighbourhood(node) {
    setMode("near");
    select(node);
}

/** Lists the members of a group. */
function openGroup(box) {
    select(null);
    opened = box;
    filterText = "";
    describe();
    redraw();
}

function selectEvent(event) {
    selectedEvent = event;
    causes = event ? causesOf(event) : new Set();
    const shown = [...causes].map(({ node }) => node).filter(Boolean);
    marked = shown.length ? new Set(shown) : null;
    markedGroups = new Set(shown.map(({ group }) => group));
    selected = related = opened = null;
    if (mode === "near") setMode("last");
    describe();
    redraw();
    if (event) announce(sentence(event));
}

/** Returns a node with its direct and indirect sources and observers. */
function relatives(node) {
    const found = new Set([node]);
    for (const side of ["sources", "observers"]) {
        const waiting = [node], seen = new Set(waiting);
        while (waiting.length) {
            for (const next of waiting.pop()[side]) {
                if (seen.has(next)) continue;
                seen.add(next);
                found.add(next);
                waiting.push(next);
            }
        }
    }
    return found;
}

function wordsOf(text) { return text.toLowerCase().split(/\s+/).filter(Boolean); }

function hasWords(node, words) { return words.every((word) => searchText(node).includes(word)); }

function findMatches() {
    const words = wordsOf(search.value);
    const candidates = recent.checked ? [...lastChangeOfEvents().nodes].filter((node) => !node.isEnded) : nodes;
    matches = words.length || recent.checked ? new Set(candidates.filter((node) => hasWords(node, words))) : null;
    matchingGroups = new Set([...(matches ?? [])].map(({ group }) => group));
}

function lookFor() {
    findMatches();
    if (mode === "near") setMode("whole");
    select(null);
}
search.addEventListener("input", lookFor);
recent.addEventListener("change", lookFor);
search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && matches?.size) choose(matches.values().next().value);
    if (event.key === "Escape") clearSearch();
    if (event.key === "ArrowDown") moveFocus(-1, 1);
});

function clearSearch() {
    search.value = "";
    recent.checked = false;
    lookFor();
}

// ---- Elements

function add(parent, tag, text, kind) {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
}

function plural(number, word) { return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`; }

function addButton(parent, text, action, kind) {
    const button = add(parent, "button", text, kind);
    button.type = "button";
    button.onclick = action;
    return button;
}

function list(heading, items, noteOf = () => "", parent = details) {
    if (!items.length) return;
    if (heading) add(parent, "h2", `${heading} (${items.length.toLocaleString("en")})`);
    const ul = add(parent, "ul"), names = new Map();
    const shown = items.slice(0, longestList);
    for (const node of shown) count(names, node.name, 1);
    for (const node of shown) {
        const button = addButton(add(ul, "li"), undefined, () => choose(node));
        add(button, "span", title(node), kinds[node.kind]);
        // Nodes of one name are told apart by their site.
        const site = names.get(node.name) > 1 && node.site !== node.name ? short(node.site) : "";
        add(button, "span", [site, noteOf(node)].filter(Boolean).join(" · "));
        button.title = `${node.name}\n${kinds[node.kind]}, ${node.site}`;
        button.dataset.key = `${heading} ${node.id}`;
    }
    if (items.length > longestList) {
        add(parent, "p", `and ${(items.length - longestList).toLocaleString("en")} more: search for them.`, "quiet");
    }
}

function eventList(heading, items, textOf = (event) => sentence(event)) {
    if (!items.length) return;
    add(details, "h2", `${heading} (${items.length.toLocaleString("en")})`);
    const ul = add(details, "ul");
    for (const event of items.slice(-20).reverse()) addEventButton(add(ul, "li"), event, textOf(event));
}

function addEventButton(parent, event, text = sentence(event)) {
    const go = () => { selectEvent(event); revealEvent(event); };
    const button = addButton(parent, undefined, go, event.kind === "issue" ? "issue" : "");
    add(button, "span", text);
    button.dataset.key = `event ${event.id}`;
}

// ---- The panel

/** Fills the panel again. The focus and the scroll position stay. */
function describe() {
    const key = document.activeElement?.closest("#details") && document.activeElement.dataset.key;
    const panel = details.parentElement, top = panel.scrollTop;
    isStale = false;
    details.replaceChildren();
    summarize();
    if (selectedEvent) describeEvent(selectedEvent);
    else if (selected) describeNode(selected);
    else if (opened) describeGroup(opened);
    else if (matches) list("Matches", [...matches], runs);
    else describeGraph();
    panel.scrollTop = top;
    if (key) [...details.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus();
}

/** Fills the panel again, but not while a button is pressed: its click would be lost. */
function refresh() {
    isStale = true;
    if (!isPressed) describe();
}
let isStale = false, isPressed = false;
details.addEventListener("pointerdown", () => { isPressed = true; });
for (const kind of ["pointerup", "pointercancel"]) {
    document.addEventListener(kind, () => setTimeout(() => {
        isPressed = false;
        if (isStale) describe();
    }));
}

function summarize() {
    const text = matches
        ? `${plural(matches.size, "node")} of ${nodes.length.toLocaleString("en")}`
        : [...kinds.map((word, kind) => plural(model.counts[kind], word)), plural(model.edgeCount, "edge")].join(", ");
    const left = model.dropped ? ` ${plural(model.dropped, "event")} were left out.` : "";
    document.getElementById("summary").textContent = text + left;
    if (matches) announce(text);
}

/** Reports a text to screen readers. */
function announce(text) {
    const status = document.getElementById("status");
    if (status.textContent !== text) status.textContent = text;
}

/** The lists of the start page. Those of a large graph are sorted every five seconds at most. */
let rankings = { at: -Infinity };
function ranked() {
    if (nodes.length > 2_000 && performance.now() - rankings.at < 5_000) return rankings;
    const busy = (kind) => nodes.filter((node) => node.kind === kind).sort((a, b) => b.runCount - a.runCount);
    const popular = nodes.filter((node) => node.observers.size > 1).sort((a, b) => b.observers.size - a.observers.size);
    return rankings = { at: performance.now(), reactions: busy(2), computeds: busy(1), popular: popular.slice(0, 20) };
}

function describeGraph() {
    if (!nodes.length) {
        add(details, "p", emptyTexts.whole);
        return;
    }
    eventList("Issues", events.filter(({ kind }) => kind === "issue"), ({ text }) => text.split("\n").at(-1));
    const { reactions, computeds, popular } = ranked();
    list("Reactions by number of runs", reactions, runs);
    list("Computeds by number of runs", computeds, runs);
    list("Nodes by number of observers", popular, (node) => node.observers.size.toLocaleString("en"));
}

function describeNode(node) {
    add(details, "h1", title(node));
    add(details, "p", kinds[node.kind] + (node.isEnded ? ", freed" : ""), `kind ${kinds[node.kind]}`);
    if (node.site && node.site !== node.name) add(add(details, "p"), "code", node.site);
    if (valueOf(node) !== undefined) add(details, "pre", valueOf(node));
    if (node.kind !== 0) {
        const times = node.runCount === 1 ? "once" : plural(node.runCount, "time");
        add(details, "p", `It has run ${times}.`);
    }
    if (!data.live && node.kind === 2) describeCauses(node);
    else add(details, "p", `It is ${isRecent(node) ? "" : "not "}part of the last change.`, "quiet");
    const show = () => showNeighbourhood(node);
    if (mode !== "near" && !node.isEnded) addButton(details, "Show its neighbourhood", show, "action");
    list("Reads", node.sources, runs);
    list("Read by", [...node.observers], runs);
    eventList("Events", events.filter((event) => event.node === node), (event) => sentence(event, ""));
}

/** Lists paths from writes to a reaction of a static page: the nodes that changed between its last two runs. */
function describeCauses(reaction) {
    const paths = [], seen = new Set(), waiting = [[reaction, []]];
    while (reaction.runCount > 1 && waiting.length && paths.length < 20) {
        const [node, path] = waiting.shift();
        for (const source of node.sources) {
            const isCause = source.changedAt > reaction.ranBeforeAt && source.changedAt <= reaction.ranAt;
            if (seen.has(source) || !isCause) continue;
            seen.add(source);
            if (source.kind === 0) paths.push([source, ...path]);
            else waiting.push([source, [source, ...path]]);
        }
    }
    if (!paths.length) return;
    add(details, "h2", "Causes of the last run");
    const ul = add(details, "ul");
    for (const path of paths) add(add(ul, "li"), "code", path.map((node) => node.name).join(" → "));
}

/** Lists the members of a group, with a filter. */
function describeGroup(box) {
    const members = box.group ? [...box.group.members] : box.members().filter((node) => !node.isEnded);
    add(details, "h1", box.name);
    add(details, "p", kinds[box.kind] + (members.length > 1 ? "s" : ""), `kind ${kinds[box.kind]}`);
    if (box.site) add(add(details, "p"), "code", box.site);
    const label = add(details, "label", "Filter this list ");
    const filter = add(label, "input");
    filter.type = "search";
    filter.value = filterText;
    filter.dataset.key = "filter";
    const results = add(details, "div");
    const update = () => {
        filterText = filter.value;
        results.replaceChildren();
        const words = wordsOf(filterText), found = members.filter((node) => hasWords(node, words));
        list("Members", found, runs, results);
        if (!found.length) add(results, "p", "No member has these words.", "quiet");
    };
    filter.oninput = update;
    update();
}

function describeEvent(event) {
    add(details, "h1", event.kind === "issue" ? "Issue" : sentence(event));
    if (event.text) add(details, event.kind === "issue" ? "pre" : "code", event.text);
    const facts = [`thread ${event.thread}`, `${duration(event.start)} after the start`];
    if (event.flush >= 0) facts.push(`flush ${event.flush}`);
    add(details, "p", facts.join(", "), "quiet");
    if (event.node) list("Node", [event.node], runs);
    const paths = causePaths(event);
    if (paths.length) add(details, "h2", "Causes");
    for (const path of paths) {
        const lines = add(details, "div", undefined, "chain");
        path.forEach((each, index) => {
            const changed = each.changed === 1 ? " (changed)" : "";
            addEventButton(lines, each, `${index ? "→ " : ""}${each.kind} ${subject(each)}${changed}`);
        });
    }
    if (!paths.length && event.causes.length) add(details, "p", "Its causes are no longer recorded.", "quiet");
    eventList("It caused", events.filter(({ causes }) => causes.includes(event.id)));
    addButton(details, "Zoom to it", () => zoomToEvent(event), "action");
}
