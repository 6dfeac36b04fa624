// Recipes, part one: input of users, from validation to undo. The page `Recipes` of the guide explains them.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a recipe it reads better as one.
// swift-format-ignore-file

import Reactive
import ReactiveCodable

/// Finds books. A request for "dr" ends only when it is cancelled.
private struct BookServer: Sendable {
    let isBusy = Observable(false)

    func titles(containing text: String) async throws -> [String] {
        print("request:", text)
        if text == "dr" { try await untilCancelled { isBusy.value = true } onCancel: { print("cancelled:", text) } }
        return ["Emma", "Dracula", "Middlemarch"].filter { $0.lowercased().contains(text) }
    }
}

/// Counts likes, and refuses all but the first.
private actor PostServer {
    private var likes = 10

    func like() throws -> Int {
        struct Refused: Error {}
        if likes > 10 { throw Refused() }
        likes += 1
        return likes
    }
}

/// Suspends the task until it is cancelled.
///
/// - Parameters:
///   - onStart: Called once the task can be cancelled.
///   - onCancel: Called by the cancellation, on its thread.
private func untilCancelled(
    _ onStart: @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void
) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    await withTaskCancellationHandler {
        onStart()
        for await _ in stream {}
    } onCancel: {
        onCancel()
        continuation.finish()
    }
    throw CancellationError()
}

extension Chapter {
    /// The recipes on forms and editing.
    static let formRecipes: [Sample] = [
        Sample("Validate a form") {
            struct SignUp {
                @Observable var name = ""
                @Observable var age = ""
                var problems: [String] {
                    var problems: [String] = []
                    if name.isEmpty { problems.append("The name is missing.") }
                    if Int(age) == nil { problems.append("The age is not a number.") }
                    return problems
                }
            }
            let form = SignUp()
            let isValid = Computed { form.problems.isEmpty }
            let button = autorun { print("Sign up:", isValid.value ? "on" : "off") }  // prints "Sign up: off"
            form.age = "thirty"
            form.name = "Ann"
            print(form.problems.joined())  // prints "The age is not a number."
            form.age = "30"  // prints "Sign up: on"
            button.cancel()
        },
        Sample(awaiting: "Search while the user types") {
            let server = BookServer()
            let clock = HandClock()
            let query = Observable("")
            let titles = Observable<[String]>([])
            let searching = reaction(schedule: .debounced(for: .milliseconds(300), clock: clock)) {
                query.value
            } onChange: { text in
                let request = Task {
                    let found = try await server.titles(containing: text)
                    try Task.checkCancellation()
                    titles.value = found
                }
                onCleanup { request.cancel() }
            }
            query.value = "d"
            query.value = "dr"
            await clock.advance(by: .milliseconds(300))
            try await when { server.isBusy.value }  // prints "request: dr"
            query.value = "dra"
            await clock.advance(by: .milliseconds(300))
            try await when { titles.value == ["Dracula"] }  // prints "cancelled: dr", "request: dra"
            searching.cancel()
        },
        Sample(awaiting: "Show a change before the server confirms it") { @MainActor in
            let server = PostServer()
            @MainActor struct Post {
                @Observable private var confirmedLikes = 10
                @Observable private var pendingLikes: Int?
                var likes: Int { pendingLikes ?? confirmedLikes }

                func like(on server: PostServer) async {
                    pendingLikes = likes + 1
                    let confirmed = try? await server.like()
                    inTransaction {
                        if let confirmed { confirmedLikes = confirmed }
                        pendingLikes = nil
                    }
                }
            }
            let post = Post()
            let label = reaction { post.likes } onChange: { print($0, "likes") }
            await post.like(on: server)  // prints "11 likes"
            await post.like(on: server)  // prints "12 likes", "11 likes"
            label.cancel()
        },
        Sample("Enable Save only when something has changed") {
            struct Note: Equatable {
                var title = ""
                var text = ""
            }
            final class Editor {
                @Observable var draft = Note()
                @Observable private(set) var saved = Note()
                private(set) lazy var isDirty = Computed(of: self) { $0.draft != $0.saved }
                func save() { saved = draft }
            }
            let editor = Editor()
            let button = autorun { print("Save:", editor.isDirty.value ? "on" : "off") }  // prints "Save: off"
            editor.draft.title = "Milk"  // prints "Save: on"
            editor.draft.title = ""  // prints "Save: off"
            editor.draft.text = "Two litres"  // prints "Save: on"
            editor.save()  // prints "Save: off"
            button.cancel()
        },
        Sample("Undo and redo in an editor") {
            struct Drawing: Codable {
                @Observable var title = "Untitled"
                @Observable var shapes: [String] = []
            }
            let drawing = Drawing()
            let history = History(drawing)
            let buttons = autorun {
                print("undo:", history.canUndo ? "on," : "off,", "redo:", history.canRedo ? "on" : "off")
            }  // prints "undo: off, redo: off"
            inTransaction {
                drawing.shapes.append("circle")
                drawing.title = "A circle"
            }  // prints "undo: on, redo: off"
            try history.undo()  // prints "undo: off, redo: on"
            print(drawing.title, drawing.shapes.count)  // prints "Untitled 0"
            try history.redo()  // prints "undo: on, redo: off"
            buttons.cancel()
        },
    ]
}
