// One row of a rendered list.

import Reactive
import ReactiveHooks

/// The renderer of a row, and its newest output as a value that readers can observe.
final class RenderedRow<Output> {
    private let renderer: HookRenderer<Output>
    private let newest: NewestOutput<Output>

    /// Renders for the first time. Effects follow when the graph is unlocked.
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

    /// The newest output. Tracked.
    var output: Output { newest.value }
}

/// The newest output of a renderer.
private final class NewestOutput<Output> {
    private var observable: Observable<Output>?
    private var hasReceivedFirst = false

    func start(with output: Output, fileID: StaticString, line: UInt) {
        observable = Observable(output, equals: .automatic, named: "output of a row", fileID: fileID, line: line)
    }

    /// The first output is known already. The renderer hands it over as soon as the graph is unlocked.
    func receive(_ output: Output) {
        if hasReceivedFirst { observable?.value = output }
        hasReceivedFirst = true
    }

    var value: Output {
        guard let observable else { preconditionFailure("internal inconsistency: a row has no output") }
        return observable.value
    }
}
