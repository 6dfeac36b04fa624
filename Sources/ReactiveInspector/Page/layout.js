// The layered layout: a box is to the right of everything that it reads.
//
// Layers that are too tall are folded into several columns. If there are many layers, as in a long chain, they continue
// below, like words in a text. So a drawing is about as wide as it is high.
"use strict";
const boxWidth = 190, boxHeight = 40, gapX = 60, gapY = 14;

/** Assigns a position to each box, for an area with this ratio of width to height. */
function layOut(boxes, ratio) {
    const layers = layersOf(boxes);
    sortLayers(layers);
    place(bestLayout(layers, ratio));
}

function layersOf(boxes) {
    const waiting = new Map(boxes.map((box) => [box, box.sources.length]));
    const order = boxes.filter((box) => !box.sources.length);
    for (const box of boxes) box.layer = 0;
    const done = new Set(order);
    for (let i = 0; i < boxes.length; i++) {
        // Groups may depend on each other in a cycle: the box that waits for the fewest sources is first.
        if (i === order.length) {
            const rest = boxes.filter((box) => !done.has(box));
            const next = rest.reduce((best, box) => (waiting.get(box) < waiting.get(best) ? box : best));
            order.push(next);
            done.add(next);
        }
        for (const observer of order[i].observers) {
            if (done.has(observer)) continue;
            observer.layer = Math.max(observer.layer, order[i].layer + 1);
            waiting.set(observer, waiting.get(observer) - 1);
            if (waiting.get(observer) > 0) continue;
            order.push(observer);
            done.add(observer);
        }
    }
    // A source moves to the layer before its first observer.
    for (const box of order.toReversed()) {
        if (box.sources.length || !box.observers.length) continue;
        box.layer = Math.max(0, Math.min(...box.observers.map((observer) => observer.layer)) - 1);
    }
    const layers = [];
    for (const box of boxes) (layers[box.layer] ??= []).push(box);
    return layers.filter(Boolean);
}

/** Sorts each layer by the mean position of its neighbours, so that few edges cross. */
function sortLayers(layers) {
    const number = (layer) => layer.forEach((box, index) => { box.place = (index + 0.5) / layer.length; });
    const mean = (others, box) =>
        others.length ? others.reduce((sum, other) => sum + other.place, 0) / others.length : box.place;
    layers.forEach(number);
    for (let sweep = 0; sweep < 6; sweep++) {
        const isForward = sweep % 2 === 0;
        for (const layer of isForward ? layers : layers.toReversed()) {
            for (const box of layer) box.wish = mean(isForward ? box.sources : box.observers, box);
            layer.sort((a, b) => a.wish - b.wish || a.place - b.place);
            number(layer);
        }
    }
}

/** Returns columns of at most `tallest` boxes: `gap` is the distance to the next column. */
function columnsOf(layers, tallest) {
    return layers.flatMap((layer) => {
        const parts = Math.ceil(layer.length / tallest), rows = Math.ceil(layer.length / parts);
        return Array.from({ length: parts }, (_, part) => ({
            boxes: layer.slice(part * rows, (part + 1) * rows), gap: part === parts - 1 ? gapX : 30,
        }));
    });
}

/** Returns the layout that fits the area best: several heights of columns and numbers of bands are tried. */
function bestLayout(layers, ratio) {
    const layouts = [6, 8, 10, 12, 14, 17, 20, 25, 30].flatMap((tallest) => {
        const columns = columnsOf(layers, tallest);
        return [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30]
            .filter((bands) => bands === 1 || columns.length >= bands * 4)
            .map((bands) => bandsOf(columns, bands));
    });
    const size = ({ width, height, bands }) => Math.max(width, height * ratio) * (bands.length > 1 ? 1.3 : 1);
    return layouts.reduce((best, layout) => (size(layout) < size(best) * 0.98 ? layout : best));
}

function place({ bands }) {
    for (const band of bands) {
        let { x } = band;
        for (const { boxes, gap } of band.columns) {
            const top = band.y + (band.height - boxes.length * (boxHeight + gapY)) / 2;
            boxes.forEach((box, row) => { Object.assign(box, { x, y: top + row * (boxHeight + gapY) }); });
            x += boxWidth + gap;
        }
    }
}

function bandsOf(columns, number) {
    const length = Math.ceil(columns.length / number), bands = [];
    let y = 0, width = 0;
    for (let first = 0; first < columns.length; first += length) {
        const part = columns.slice(first, first + length);
        const height = Math.max(...part.map(({ boxes }) => boxes.length)) * (boxHeight + gapY);
        bands.push({ columns: part, x: 0, y, height });
        width = Math.max(width, part.reduce((sum, { gap }) => sum + boxWidth + gap, -part.at(-1).gap));
        y += height + 30;
    }
    return { bands, width, height: y - 30 - gapY };
}
