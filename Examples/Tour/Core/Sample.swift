// The structure of the tour: chapters of samples. A sample is a closure with its own source text.

/// A few lines of code that show one function.
package struct Sample: Sendable {
    /// The title of the sample.
    package let title: String
    /// The lines in this package's sources.
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

/// The samples on one subject.
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
