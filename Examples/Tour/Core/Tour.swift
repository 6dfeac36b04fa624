// The tour: every function of the library in a few lines with their output.

/// The whole tour, in the order in which it is shown.
package enum Tour {
    /// All chapters.
    package static let chapters: [Chapter] = [
        .overview, .state, .names, .derivations, .reactions, .interface, .lifetimes, .models, .foreign, .transactions,
        .threads, .servers,
        // Before samples that leave reactions behind, which the diagnostics would list.
        .debugging, .recordings, .makingItFast, .comingFromSwiftX, .comingFromOthers,
        .schedules, .diagnostics, .collections, .liveViews, .liveSources, .liveTables, .liveValues, .liveEdits, .graphs,
        .historyAndSaving, .collectionsInGraphs, .hooks, .hooksAtWork, .collectionsAndHooks, .atoms, .atomsAtWork,
        .atomsAndHooks, .recipes,
    ]

    /// The names and titles of all chapters, one per line.
    package static var list: [String] {
        let width = chapters.map(\.name.count).max() ?? 0
        return chapters.map { chapter in
            let margin = String(repeating: " ", count: width - chapter.name.count)
            return "\(chapter.name)\(margin)  \(chapter.title)"
        }
    }

    /// Prints and runs each sample.
    ///
    /// - Parameter names: The names of the chapters to show; all chapters if there are none.
    package static func run(chapters names: [String] = []) async throws {
        for chapter in names.isEmpty ? chapters : names.flatMap({ name in chapters.filter { $0.name == name } }) {
            print(heading(of: chapter))
            for sample in chapter.samples {
                print(introduction(to: sample))
                try await sample.run()
                print()
            }
        }
    }

    /// The output of `run` if each sample prints what its comments announce.
    package static var announcedTranscript: String {
        var lines: [String] = []
        for chapter in chapters {
            lines.append(heading(of: chapter))
            for sample in chapter.samples {
                lines.append(introduction(to: sample))
                lines += sample.code.announcedOutput
                lines.append("")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(of chapter: Chapter) -> String {
        "\(chapter.title)\n\(String(repeating: "=", count: chapter.title.count))\n"
    }

    private static func introduction(to sample: Sample) -> String {
        let code = sample.code.lines.map { $0.isEmpty ? "" : "    \($0)" }
        return (["* \(sample.title)", ""] + code + [""]).joined(separator: "\n")
    }
}
