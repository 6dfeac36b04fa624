// The client side of a board: shows the server's updates and sends the user's commands. The server renders the board.
// Text that the user has typed appears before that as a sketch, so it is visible while the server is away.
//
//     following    a stream of events: elements that are replaced, moved after others, or removed
//     sending      numbered commands, one at a time, each repeated until it is answered; each is carried out once
//     sketching    texts that the server has not shown yet; their elements have the class `waiting`
//     doing        forms, ticks, the editor, undoing, dragging, keys: all of them end in a command
"use strict";

const address = `/boards/${document.body.dataset.board}`;
const element = (id) => document.getElementById(id);

// ---- Following

let position = document.body.dataset.position;
let stream = null;
let pause = 250;
/** The server sends a heartbeat every 20 seconds. The time of the last one, and the longest allowed silence in ms. */
let heardAt = 0;
let patience = 50_000;
let connection = "connecting";

function connect() {
    if (stream || document.hidden) return;
    heardAt = Date.now();
    stream = new EventSource(`${address}/events?after=${position}`);
    stream.onopen = () => { pause = 250; heardAt = Date.now(); showConnection("live"); };
    stream.onerror = lose;
    stream.addEventListener("alive", () => { heardAt = Date.now(); });
    for (const kind of ["update", "whole"]) {
        stream.addEventListener(kind, (event) => {
            heardAt = Date.now();
            position = event.lastEventId;
            show(JSON.parse(event.data), kind === "update");
        });
    }
}

function disconnect() {
    stream?.close();
    stream = null;
}

/** Gets the whole board, independent of the page's position. */
function refresh() {
    disconnect();
    position = "";
    connect();
}

function lose() {
    disconnect();
    showConnection("lost");
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 4000);
}

// A machine that fails sends no message.
setInterval(() => { if (stream && Date.now() - heardAt > patience) lose(); }, 1000);

// A browser allows few connections to one server. A hidden page needs none: it catches up when it is shown again.
document.addEventListener("visibilitychange", () => document.hidden ? disconnect() : connect());

/** Shows the state of the connection, "live" or "lost", and whether commands wait for an answer. */
function showConnection(state = connection) {
    connection = state;
    const sign = element("connection");
    sign.dataset.state = outbox.length && state === "live" ? "saving" : state;
    if (state === "lost") sign.textContent = outbox.length ? `offline, ${outbox.length} waiting` : "offline";
    else sign.textContent = outbox.length ? "saving" : state;
}

/** Updates the page. `isNews` is false for the whole board, which is not highlighted. */
function show({ html, children, placed, removed }, isNews) {
    const focused = document.activeElement?.id;
    const places = isNews ? cardPlaces() : new Map();
    const fresh = new Map();
    for (const [id, markup] of Object.entries(html)) {
        const old = element(id);
        // The frame of a column never changes, and the user may be typing in it.
        if (old && "frame" in old.dataset) {
            old.classList.remove("waiting");
            delete old.dataset.sketch;
            continue;
        }
        const template = document.createElement("template");
        template.innerHTML = markup;
        const replacement = template.content.firstElementChild;
        if (old) {
            if (old.outerHTML === replacement.outerHTML) continue;
            old.replaceWith(replacement);
        } else {
            fresh.set(id, replacement);
        }
        if (isNews) replacement.classList.add("fresh");
    }
    if (!isNews) ({ placed, removed } = changesTo(children));
    // The columns first, because the cards are inserted into them.
    placed.sort((a, b) => (b.list === "columns") - (a.list === "columns"));
    for (const place of placed) {
        const item = element(place.element) ?? fresh.get(place.element);
        const list = element(place.list);
        if (!item || !list) continue;
        const next = place.after ? element(place.after)?.nextElementSibling ?? null : list.firstElementChild;
        if (next !== item) list.insertBefore(item, next);
    }
    // A card of a removed column is already in a different one.
    for (const id of removed) element(id)?.remove();
    document.title = `${element("edit-board").textContent} – LiveBoard`;
    if (focused && document.activeElement?.id !== focused) element(focused)?.focus({ preventScroll: true });
    if (restored && element(restored)) {
        // Unless the user has moved the focus to something else.
        const active = document.activeElement;
        if (active === document.body || !active.checkVisibility()) element(restored).focus();
        restored = null;
    }
    slide(places);
}

/** The moves and removals that turn the page's lists into those of the whole board. */
function changesTo(children) {
    const lists = Object.entries(children);
    const placed = lists.flatMap(([list, items]) =>
        items.map((item, index) => ({ element: item, list, after: items[index - 1] })));
    const wanted = new Set(placed.map((place) => place.element));
    const present = lists.flatMap(([list]) => [...element(list)?.children ?? []]);
    const removed = present.filter((item) => !wanted.has(item.id) && !isOnItsWay(item)).map((item) => item.id);
    return { placed, removed };
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

function cardPlaces() {
    const cards = document.querySelectorAll(".card");
    if (calm.matches || cards.length > 300) return new Map();
    return new Map([...cards].map((card) => [card.id, card.getBoundingClientRect()]));
}

/** Animates cards to their new positions. */
function slide(places) {
    for (const [id, old] of places) {
        const card = element(id);
        if (!card) continue;
        const now = card.getBoundingClientRect();
        if (now.x === old.x && now.y === old.y) continue;
        const from = `translate(${old.x - now.x}px, ${old.y - now.y}px)`;
        card.animate([{ transform: from }, { transform: "none" }], { duration: 180, easing: "ease-out" });
    }
}

function announce(text) { element("announcement").textContent = text; }

/** Shows a refused command until the user dismisses it, because its text may be stored nowhere else. */
function complain(text) {
    const complaint = document.createElement("p");
    const button = document.createElement("button");
    complaint.className = "trouble";
    button.textContent = "×";
    button.ariaLabel = "Dismiss";
    button.addEventListener("click", () => complaint.remove());
    complaint.append(text, button);
    element("complaints").append(complaint);
}

// ---- Sending

const outbox = [];
let isSending = false;
/** The identity of this page, and the number of commands sent. The server carries out each number of a page once. */
const page = newID();
let count = 0;

/**
 * Sends a command as soon as those before it are answered. `onRefusal` gets the reason if it was not carried out;
 * `onDone` is called if it was.
 */
function send(command, onRefusal = (refusal) => complain(`Not done: ${refusal.reason}.`), onDone = () => {}) {
    outbox.push({ command, id: `${page}-${++count}`, onRefusal, onDone, erase: sketch(command) });
    showConnection();
    deliver();
}

async function deliver() {
    if (isSending) return;
    isSending = true;
    while (outbox.length) {
        const { command, id, onRefusal, onDone, erase } = outbox[0];
        let answer = null;
        try {
            answer = await fetch(`${address}/commands`, {
                method: "POST", headers: { "Content-Type": "application/json", "Idempotency-Key": id },
                body: JSON.stringify(command), signal: AbortSignal.timeout(20_000),
            });
        } catch { /* No answer: it is sent again. */ }
        if (!answer || answer.status >= 500 || answer.status === 429) {
            if (answer) element("stuck").hidden = false;
            await new Promise((resolve) => setTimeout(resolve, 500));
            continue;
        }
        outbox.shift();
        showConnection();
        element("stuck").hidden = true;
        if (answer.ok) {
            onDone();
            continue;
        }
        erase();
        onRefusal(await answer.json().catch(() => ({ reason: "the server refused the change" })));
    }
    isSending = false;
    // The server shows the changes of a command within a tenth of a second. A sketch that waits longer has no effect to
    // wait for: the command has changed nothing, or another user has undone it.
    setTimeout(() => { if (!outbox.length && document.querySelector(".waiting")) refresh(); }, 2000);
}

addEventListener("beforeunload", (event) => { if (outbox.length) event.preventDefault(); });

/** Returns a title in the form in which the server stores it. */
function tidy(title) { return title.trim().replace(/\s+/g, " "); }

function newID() {
    return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(36).padStart(2, "0")).join("");
}

// ---- Sketching

/**
 * Shows the effect of a command on texts. Returns a function that shows the previous state, unless the server has
 * sent a newer one.
 */
function sketch(command) {
    const [[kind, what]] = Object.entries(command);
    switch (kind) {
    case "addCard": return sketchAddition("new-card", what.card, what.title, element(`cards-${what.column}`));
    case "addColumn": return sketchAddition("new-column", what.column, what.title, element("columns"));
    case "editCard": return sketchChange(element(`card-${what.card}`), what);
    case "editColumn": return sketchChange(element(`head-${what.column}`), what);
    case "editBoard": return sketchChange(element("heading"), what);
    case "removeCard": return sketchChange(element(`card-${what.card}`), {});
    case "removeColumn": return sketchChange(element(`head-${what.column}`), {});
    default: return () => {};
    }
}

function sketchAddition(template, id, title, list) {
    const holder = document.createElement("template");
    holder.innerHTML = element(template).innerHTML.replaceAll("TEMPLATE", id);
    const item = holder.content.firstElementChild;
    item.classList.add("waiting");
    item.dataset.sketch = "";
    item.querySelector(".title").textContent = title;
    list?.append(item);
    return () => { if ("sketch" in item.dataset) item.remove(); };
}

function sketchChange(item, { title, note }) {
    if (!item) return () => {};
    const before = item.cloneNode(true);
    item.classList.add("waiting");
    if (title) item.querySelector(".title").textContent = title.text;
    if (note) {
        const line = item.querySelector(".note") ?? document.createElement("span");
        line.className = "note";
        line.textContent = note.text;
        if (note.text) item.querySelector(".text").append(line);
        else line.remove();
    }
    return () => item.replaceWith(before);
}

/**
 * Whether an element is a sketch that the whole board does not have yet. It has all cards and columns whose commands
 * were answered.
 */
function isOnItsWay(item) {
    if (!("sketch" in item.dataset)) return false;
    return outbox.some(({ command: { addCard, addColumn } }) =>
        item.id === `card-${addCard?.card}` || item.id === `column-${addColumn?.column}`);
}

// ---- Adding and ticking

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.add) return;
    event.preventDefault();
    const title = tidy(form.elements.title.value);
    if (!title) return;
    form.reset();
    const onRefusal = (refusal) => {
        // Back into its field, unless the user is already typing the next one there.
        if (!form.elements.title.value) form.elements.title.value = title;
        complain(`“${title}” was not added: ${refusal.reason}.`);
    };
    if (form.dataset.add === "column") send({ addColumn: { column: newID(), title } }, onRefusal);
    else send({ addCard: { card: newID(), column: form.closest(".column").dataset.column, title } }, onRefusal);
});

document.addEventListener("change", (event) => {
    if (!("done" in event.target.dataset)) return;
    const box = event.target;
    send({ setDone: { card: box.closest(".card").dataset.card, isDone: box.checked } }, (refusal) => {
        box.checked = box.defaultChecked;
        complain(`Not done: ${refusal.reason}.`);
    });
});

// ---- The editor

const editor = element("editor");
const form = editor.querySelector("form");
const problem = editor.querySelector(".problem");
/** The edit in progress: `{ kind, id, bases, column, place }`. */
let edited = null;
/** Edits that were refused while a different one was open. */
const refused = [];

document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-edit]");
    if (!button) return;
    const id = button.closest("[data-card]")?.dataset.card ?? button.closest("[data-column]")?.dataset.column;
    edit(button.dataset.edit, id);
});

/** The texts that the page shows for an element. */
function shown(kind, id) {
    const place = kind === "card"
        ? element(`card-${id}`)
        : kind === "column" ? element(`head-${id}`) : element("heading");
    return place && {
        title: place.querySelector(".title").textContent,
        note: place.querySelector(".note")?.textContent ?? "",
        column: place.closest("[data-column]")?.dataset.column ?? "",
    };
}

/** Opens the editor. `texts` and `bases` replace the page's texts; `reason` explains why it opens again. */
function edit(kind, id, texts = {}, bases = {}, reason = "") {
    const now = shown(kind, id) ?? { title: "", note: "", column: "" };
    edited = { kind, id, bases: { title: now.title, note: now.note, ...bases }, column: now.column };
    element("editor-heading").textContent = `Edit ${kind}`;
    form.elements.title.value = texts.title ?? now.title;
    form.elements.note.value = texts.note ?? now.note;
    for (const part of form.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== kind;
    const columns = [...document.querySelectorAll(".column")];
    const choices = columns.map((column) => [column.dataset.column, column.querySelector(".title").textContent]);
    fill(form.elements.column, choices);
    form.elements.column.value = now.column;
    fill(form.elements.place, columns.map((_, index) => [index, index + 1]));
    edited.place = columns.findIndex((column) => column.dataset.column === id);
    form.elements.place.value = edited.place;
    form.querySelector("[value=remove]").hidden = kind === "board";
    problem.textContent = reason;
    editor.showModal();
    form.elements.title.focus();
}

function fill(select, options) {
    select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
}

form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { kind, id, bases, column, place } = edited;
    const title = tidy(form.elements.title.value);
    if (!title) return;
    saveText(kind, id, "title", bases.title, title);
    if (kind === "card") {
        saveText(kind, id, "note", bases.note, form.elements.note.value);
        const target = form.elements.column.value;
        if (target && target !== column) send({ moveCard: { card: id, column: target } });
    }
    if (kind === "column" && Number(form.elements.place.value) !== place) {
        const others = [...document.querySelectorAll(".column")]
            .map((item) => item.dataset.column).filter((item) => item !== id);
        send({ moveColumn: { column: id, before: others[Number(form.elements.place.value)] } });
    }
    editor.close();
});

/** Sends a text. If another user has changed the same words, the user sees both texts and decides. */
function saveText(kind, id, field, base, text) {
    if (text === base) return;
    const change = { base, text };
    const command = kind === "card" ? { editCard: { card: id, [field]: change } }
        : kind === "column" ? { editColumn: { column: id, title: change } } : { editBoard: { title: change } };
    send(command, (refusal) => {
        const current = refusal.current;
        const reason = refusal.kind === "conflict"
            ? `Somebody else has changed the ${field} to “${current}”. Save again to replace it with yours.`
            : `Not saved: ${refusal.reason}.`;
        const latest = current === undefined ? base : current;
        refused.push([kind, id, { [field]: text }, { [field]: latest }, reason]);
        if (!editor.open) edit(...refused.shift());
    });
}

form.querySelector("[value=cancel]").addEventListener("click", () => editor.close());
form.querySelector("[value=remove]").addEventListener("click", () => {
    const { kind, id } = edited;
    editor.close();
    remove(kind, id);
});
editor.addEventListener("close", () => { if (refused.length) edit(...refused.shift()); });
editor.addEventListener("click", (event) => { if (event.target === editor) editor.close(); });
form.addEventListener("keydown", (event) => {
    const isTitle = event.target === form.elements.title;
    if (event.key === "Enter" && (isTitle || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        form.requestSubmit(form.querySelector("[value=save]"));
    }
});

// ---- Removing, and undoing that

/** The elements that this page has removed and can restore, the newest last: `{ kind, id, title }`. */
const removals = [];
/** The `id` of the restored element that gets the focus when the server shows it. */
let restored = null;

function remove(kind, id) {
    const title = shown(kind, id)?.title ?? "";
    send(kind === "card" ? { removeCard: { card: id } } : { removeColumn: { column: id } }, (refusal) => {
        refused.push([kind, id, {}, {}, `Not removed: ${refusal.reason}.`]);
        if (!editor.open) edit(...refused.shift());
    }, () => {
        removals.push({ kind, id, title });
        showRemoval();
        announce(`“${title}” was removed. Press Undo to restore it.`);
    });
}

function showRemoval() {
    const last = removals.at(-1);
    element("removal").hidden = !last;
    element("removal").querySelector("span").textContent = last ? `“${last.title}” was removed.` : "";
}

element("undo").addEventListener("click", () => {
    const { kind, id, title } = removals.pop();
    showRemoval();
    restored = `edit-${id}`;
    send(kind === "card" ? { restoreCard: { card: id } } : { restoreColumn: { column: id } }, (refusal) => {
        restored = null;
        complain(`“${title}” was not restored: ${refusal.reason}.`);
    }, () => announce(`“${title}” was restored`));
});

element("forget").addEventListener("click", () => {
    removals.length = 0;
    showRemoval();
});

// ---- Dragging

let dragged = null;

document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".card");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.querySelector(".title").textContent);
    requestAnimationFrame(() => dragged?.classList.add("dragged"));
});

document.addEventListener("dragover", (event) => {
    const column = dragged && event.target.closest?.(".column");
    markDrop(null);
    if (!column) return;
    event.preventDefault();
    markDrop(column, cardBelow(column, event.clientY));
});

document.addEventListener("drop", (event) => {
    const column = dragged && event.target.closest?.(".column");
    if (!column) return;
    event.preventDefault();
    move(dragged, column, cardBelow(column, event.clientY));
    // A card that has been replaced during the drag gets no `dragend`.
    dragged.classList.remove("dragged");
    dragged = null;
    markDrop(null);
});

document.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = null;
    markDrop(null);
});

/** The first card of a column that would be below the dropped one. */
function cardBelow(column, y) {
    return [...column.querySelectorAll(".card")].find((card) => {
        const { top, height } = card.getBoundingClientRect();
        return y < top + height / 2;
    });
}

function markDrop(column, card) {
    for (const marked of document.querySelectorAll(".drop-before, .drop-end"))
        marked.classList.remove("drop-before", "drop-end");
    if (card) card.classList.add("drop-before");
    else column?.querySelector(".cards").classList.add("drop-end");
}

function move(card, column, before) {
    send({ moveCard: { card: card.dataset.card, column: column.dataset.column, before: before?.dataset.card } });
}

// ---- Keys

document.addEventListener("keydown", (event) => {
    const card = event.altKey && event.target.closest?.(".card");
    if (!card) return;
    const column = card.closest(".column");
    const step = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key];
    if (step) {
        const target = column[step];
        if (target) move(card, target);
        announce(target ? `moved to ${target.querySelector(".title").textContent}` : "there is no column on that side");
    } else if (event.key === "ArrowUp" && card.previousElementSibling) {
        move(card, column, card.previousElementSibling);
        announce("moved up");
    } else if (event.key === "ArrowDown" && card.nextElementSibling) {
        move(card, column, card.nextElementSibling.nextElementSibling ?? undefined);
        announce("moved down");
    } else if (!event.key.startsWith("Arrow")) {
        return;
    }
    event.preventDefault();
});

connect();
