// The looks of the page that shows a graph.

/// The parts of the page that shows a graph.
enum Inspector {}

extension Inspector {
    static let style = #"""
        :root {
            color-scheme: light dark;
            --back: light-dark(#f4f5f9, #14161d);
            --panel: light-dark(#ffffff, #1d2029);
            --line: light-dark(#d9dce6, #363b4a);
            --text: light-dark(#20232e, #e9ebf3);
            --quiet: light-dark(#5d6274, #a2a8bb);
            --edge: light-dark(#a5abc0, #4d5468);
            --observable: light-dark(#2f6fde, #7fb0ff);
            --computed: light-dark(#7a4fd0, #bda0ff);
            --reaction: light-dark(#1c7a4b, #63d297);
            --recent: light-dark(#d26a00, #ffb052);
            font: 14px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        }
        * { box-sizing: border-box; }
        body { margin: 0; height: 100dvh; display: grid; grid-template-columns: 1fr 20rem; background: var(--back); color: var(--text); }
        canvas { width: 100%; height: 100dvh; grid-area: 1 / 1; touch-action: none; cursor: grab; outline-offset: -3px; }
        :focus-visible { outline: 2px solid var(--observable); }
        aside { grid-area: 1 / 2; height: 100dvh; overflow-y: auto; padding: 1rem; background: var(--panel); border-left: 1px solid var(--line); }
        input, button { font: inherit; color: inherit; }
        label { color: var(--quiet); }
        kbd { padding: 0 .35em; border: 1px solid var(--line); border-radius: 4px; font: inherit; font-size: .85em; }
        input[type=search] { width: 100%; margin-top: .3rem; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 8px; background: var(--back); }
        p { margin: .6rem 0; }
        h1, h2 { margin: 1rem 0 .3rem; font-size: 1rem; overflow-wrap: anywhere; }
        h2 { font-size: .85rem; color: var(--quiet); font-weight: 600; }
        #summary, .quiet { color: var(--quiet); }
        .kind { font-weight: 600; }
        .kind::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .4em; border-radius: 50%; background: currentColor; }
        .observable { color: var(--observable); }
        .computed { color: var(--computed); }
        .reaction { color: var(--reaction); }
        ul { list-style: none; margin: 0; padding: 0; }
        li button { display: flex; justify-content: space-between; gap: .5rem; width: 100%; padding: .25rem .4rem; border: 0; border-radius: 6px; background: none; text-align: left; cursor: pointer; }
        li button:hover { background: var(--back); }
        li button span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        li button span:last-child { flex: none; color: var(--quiet); font-variant-numeric: tabular-nums; }
        code { font: .9em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
        nav { grid-area: 1 / 1; align-self: end; justify-self: start; display: flex; gap: .3rem; padding: 1rem; z-index: 1; }
        nav button { width: 2.25rem; height: 2.25rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); cursor: pointer; }
        @media (max-width: 46rem) {
            body { grid-template: 60dvh auto / 1fr; }
            canvas { height: 60dvh; }
            aside { grid-area: 2 / 1; height: auto; min-height: 40dvh; border-left: 0; border-top: 1px solid var(--line); }
        }
        """#
}
