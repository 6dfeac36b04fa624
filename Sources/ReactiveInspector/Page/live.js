// The connection of a live page: a stream of messages, questions about values, and time travel.
//
// A stream that is interrupted is opened again. Its first message has the number of this viewer: then the page forgets
// what it knows.
"use strict";
const base = location.pathname.replace(/\/+$/, "");
const connection = { viewer: null, source: null };

function openStream() {
    const source = connection.source = new EventSource(`${base}/events`);
    source.onmessage = ({ data }) => receive(JSON.parse(data));
    source.onerror = () => {
        notice("Connection lost. Reconnecting…");
        // After a refusal the browser does not try again by itself.
        if (source.readyState === EventSource.CLOSED) setTimeout(openStream, 2_000);
    };
}

function notice(text) {
    const element = document.getElementById("notice");
    element.textContent = text;
    element.hidden = !text;
}

/** Applies a message of the stream, and draws what is visible again. */
function receive(message) {
    if ("viewer" in message) startOver(message.viewer);
    const before = fingerprint(selected);
    apply(message);
    if (message.travel) showTravel(message.travel);
    const isTouched = fingerprint(selected) !== before;
    if (isTouched && dimsOthers()) related = relatives(selected);
    const hasIssue = message.events?.some(([, kind]) => kind === "issue");
    const isSmall = recent.checked || nodes.length <= 2_000;
    const isStart = !selected && !selectedEvent && !opened && (hasIssue || isSmall);
    if (recent.checked) findMatches();
    if (isTouched || isStart || "viewer" in message) refresh();
    if (selected && (selected.value === undefined || selected.isValueOld)) ask(selected);
    redraw();
}

/** Returns a text that differs if the panel of the node has to be filled again. */
function fingerprint(node) {
    return node && [node.changedAt, node.runCount, node.sources.length, node.observers.size, node.isEnded].join();
}

function startOver(viewer) {
    forget();
    connection.viewer = viewer;
    selected = opened = related = marked = matches = selectedEvent = null;
    causes = new Set();
    search.value = "";
    recent.checked = false;
    builtFor = "";
    travel.asked = travel.wanted = null;
    rankings.at = -Infinity;
    if (mode === "near") setMode("whole");
    pause(false);
    notice("");
}

// ---- Questions

async function question(body) {
    const response = await fetch(`${base}/ask`, {
        method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ viewer: connection.viewer, ...body }),
    });
    if (!response.ok) throw new Error(`The program answered with status ${response.status}.`);
    return response.json();
}

/** Asks for the value of a node, unless an answer is pending. */
async function ask(node) {
    if (!data.live || node.isAsked || node.isEnded || node.kind === 2) return;
    node.isAsked = true;
    const { changedAt } = node;
    try {
        const answer = await question({ value: node.id });
        node.value = answer.error ? `(${answer.error})` : answer.value ?? "";
    } catch {
        node.value = "(no answer)";
    }
    node.isAsked = false;
    node.isValueOld = node.changedAt !== changedAt;
    if (node.isValueOld && node === selected) ask(node);
    if (node === selected) refresh();
    redraw();
}

/** Asks for the values of the nodes that are drawn, at most 40 at a time. */
function askVisible() {
    const shown = scene.boxes.filter(({ node }) => node && valueOf(node) === undefined);
    for (const { node } of shown.slice(0, 40)) ask(node);
}

// ---- Time travel

const travel = {
    position: 0, count: 0, titles: [], wanted: null, asked: null, box: document.getElementById("travel"),
    slider: document.getElementById("position"), title: document.getElementById("step"),
};

function showTravel({ position, count, titles }) {
    Object.assign(travel, { position, count, titles });
    travel.box.hidden = false;
    travel.slider.max = count;
    showPosition(travel.wanted ?? position);
}

function showPosition(position) {
    travel.slider.value = position;
    const step = position ? travel.titles[position - 1] ?? "" : "the start";
    travel.title.textContent = `${position} of ${travel.count}${step ? `: ${step}` : ""}`;
    travel.slider.setAttribute("aria-valuetext", travel.title.textContent);
    document.getElementById("back").disabled = position <= 0;
    document.getElementById("forward").disabled = position >= travel.count;
}

/** Goes to a position. While an answer is pending, only the last request is kept. */
async function travelTo(position) {
    if (travel.box.hidden) return;
    notice("");
    travel.wanted = Math.min(travel.count, Math.max(0, position));
    showPosition(travel.wanted);
    if (travel.asked !== null) return;
    while (travel.wanted !== null && travel.wanted !== travel.asked) {
        travel.asked = travel.wanted;
        try {
            const answer = await question({ travel: travel.asked });
            if (answer.error) throw new Error(answer.error);
            travel.position = travel.asked;
        } catch (error) {
            notice(error.message);
            break;
        }
    }
    travel.wanted = travel.asked = null;
    showPosition(travel.position);
}

travel.slider.addEventListener("input", () => travelTo(Number(travel.slider.value)));
document.getElementById("back").onclick = () => travelTo((travel.wanted ?? travel.position) - 1);
document.getElementById("forward").onclick = () => travelTo((travel.wanted ?? travel.position) + 1);
