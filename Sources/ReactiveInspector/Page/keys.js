// Keys and buttons, and the start of the page. This script is the last one.
"use strict";

/** Moves the focus in the lists of the panel, from the element at an index. */
function moveFocus(index, offset) {
    const items = [...details.querySelectorAll("button, input")];
    const next = items[Math.min(items.length - 1, index + offset)];
    if (index + offset < 0) search.focus();
    else next?.focus();
}

details.addEventListener("keydown", (event) => {
    const offset = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!offset) return;
    event.preventDefault();
    moveFocus([...details.querySelectorAll("button, input")].indexOf(document.activeElement), offset);
});

/** Selects nothing, or ends the search if nothing is selected. */
function stepOut() {
    if (selected || selectedEvent || opened) select(null);
    else clearSearch();
}

const help = document.getElementById("help");
const actions = {
    "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), "0": showWhole,
    "1": () => setMode("whole"), "2": () => setMode("near"), "3": () => setMode("last"),
    "/": () => search.focus(), "?": () => help.showModal(), Escape: stepOut,
    v: askVisible, p: () => data.live && pause(!timeline.isPaused),
    "[": () => document.getElementById("back").click(), "]": () => document.getElementById("forward").click(),
};
document.addEventListener("keydown", (event) => {
    if (event.target.type === "search" || help.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
});

for (const button of document.querySelectorAll("[data-mode]")) button.onclick = () => setMode(button.dataset.mode);
document.getElementById("closer").onclick = () => zoom(1.4);
document.getElementById("farther").onclick = () => zoom(1 / 1.4);
document.getElementById("whole").onclick = showWhole;
document.getElementById("values").onclick = askVisible;
document.getElementById("keys").onclick = () => help.showModal();

for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", () => { readColors(); redraw(); });
}
new ResizeObserver(resize).observe(canvas);
document.body.classList.toggle("live", Boolean(data.live));
if (data.title) document.title = data.title;
readColors();
resize();
updateScene();
describe();
if (data.live) {
    notice("Connecting…");
    openStream();
}
