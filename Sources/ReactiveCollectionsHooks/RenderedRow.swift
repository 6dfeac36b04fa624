// One row of a rendered list.

import Reactive
import ReactiveHooks

/// The renderer of a row, and its latest output as an observable value.
final class RenderedRow<Output> {
    private let renderer: HookRenderer<Output>
    private let newest: NewestOutput<Output>

    /// Renders for the first time. Effects run when the graph is unlocked.
    init(
        isolation: isolated (any Actor)?, fileID: StaticString, line: UInt,
        environment: (inout EnvironmentValues) -> Void, _ body: @escaping () -> Output
    ) {
        let newest = NewestOutput<Output>()
        renderer = HookRenderer(
            isolation: isolation, fileID: fileID, line: line, body, environment: environment,
            onRender: { newest.receive($0) })
        newest.start(with: renderer.output, fileID: fileID, line: line)
        self.newest = newest
    }

    /// The latest output. Tracked.
    var output: Output { newest.value }
}

/// The latest output of a renderer.
private final class NewestOutput<Output> {
    private var observable: Observable<Output>?
    private var hasReceivedFirst = false

    func start(with output: Output, fileID: StaticString, line: UInt) {
        observable = Observable(output, equals: .automatic, named: "output of a row", fileID: fileID, line: line)
    }

    /// Receives an output. The renderer also passes its first output here, as soon as the graph is unlocked; that one
    /// is already known.
    func receive(_ output: Output) {
        if hasReceivedFirst { observable?.value = output }
        hasReceivedFirst = true
    }

    var value: Output {
        guard let observable else { preconditionFailure("internal inconsistency: a row has no output") }
        return observable.value
    }
}
