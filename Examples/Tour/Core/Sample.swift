// What the tour is made of: chapters of samples. A sample is a closure to run, and its own source text to show.

/// A few lines that show one thing.
package struct Sample: Sendable {
    /// What the lines show.
    package let title: String
    /// The lines, as they stand in this package's sources.
    package let code: SampleCode
    /// Runs the lines.
    let run: @Sendable () async throws -> Void

    init(
        _ title: String, file: String = #filePath, line: Int = #line, _ run: @escaping @Sendable () throws -> Void
    ) {
        self.title = title
        self.run = run
        code = SampleCode(ofClosureAt: line, in: file)
    }

    init(
        awaiting title: String, file: String = #filePath, line: Int = #line,
        _ run: @escaping @Sendable () async throws -> Void
    ) {
        self.title = title
        self.run = run
        code = SampleCode(ofClosureAt: line, in: file)
    }
}

/// Samples on one subject.
package struct Chapter: Sendable {
    /// The subject.
    package let title: String
    /// The samples, in the order in which they are shown.
    package let samples: [Sample]

    init(_ title: String, _ samples: [Sample]) {
        self.title = title
        self.samples = samples
    }
}
