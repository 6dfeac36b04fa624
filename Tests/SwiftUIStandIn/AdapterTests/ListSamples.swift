// The samples of the page *Lists in SwiftUI*.

import Foundation
import ReactiveCodable
import ReactiveCollections
import ReactiveSwiftUI
import SwiftUI
import Testing

struct Chore: Codable, Identifiable {
    private(set) var id = UUID()
    @Observed var title: String
    @Observed var isDone = false
}

struct ChoreDocument: Codable {
    private(set) var chores = ObservableArray<Chore>()
}

@MainActor
final class ChoreModel {
    let chores: ObservableArray<Chore>
    let history: History<ChoreDocument>
    private let saving: Autosave
    @Observed var query = ""
    private(set) lazy var shown = chores.live.filter(isolation: MainActor.shared) { [_query] in
        _query.value.isEmpty || $0.title.contains(_query.value)
    }

    init(at url: URL) {
        let document = (try? load(ChoreDocument.self, from: url)) ?? ChoreDocument()
        chores = document.chores
        history = History(document, mergeWindow: .seconds(1))
        saving = autosave(document, to: url)
    }

    func remove(atOffsets offsets: IndexSet) {
        let ids = offsets.map { shown.elements[$0].id }
        inTransaction {
            for id in ids { chores.remove(id: id) }
        }
    }

    func move(from source: IndexSet, to destination: Int) {
        chores.move(fromOffsets: source, toOffset: destination)
    }

    func save() { try? saving.flush() }
}

struct ChoreRow: View {
    let chore: Chore

    var body: some View {
        TextField("Title", text: chore.$title)
        Toggle("Done", isOn: chore.$isDone)
    }
}

struct ChoresView: View {
    @ReactiveBindable var model: ChoreModel

    var body: some View {
        List {
            ForEach(model.shown.elements) { ChoreRow(chore: $0) }
                .onDelete { model.remove(atOffsets: $0) }
                .onMove(perform: model.query.isEmpty ? { model.move(from: $0, to: $1) } : nil)
        }
        .searchable(text: $model.query)
        Button("Add") { model.chores.append(Chore(title: "New")) }
        Button("Undo") { try? model.history.undo() }
            .disabled(!model.history.canUndo)
        Button("Redo") { try? model.history.redo() }
            .disabled(!model.history.canRedo)
    }
}

struct ChoresWindow: View {
    let model: ChoreModel
    @Environment(\.scenePhase) private var phase

    var body: some View {
        ChoresView(model: model)
            .onChange(of: phase) { _, phase in
                if phase == .background { model.save() }
            }
    }
}

#if canImport(DeveloperToolsSupport)
#Preview {
    let model = ChoreModel(at: .temporaryDirectory.appending(path: "\(UUID()).json"))
    ObserverView { ChoresView(model: model) }
}
#endif

extension StandInTests {
    @MainActor @Suite struct ListSamples {
        private func withModel(_ body: (ChoreModel, URL) async throws -> Void) async throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
            defer { try? FileManager.default.removeItem(at: url) }
            let model = ChoreModel(at: url)
            for title in ["Cook", "Clean", "Shop"] { model.chores.append(Chore(title: title)) }
            try await body(model, url)
        }

        private func titles(_ screen: Screen) -> [String] {
            screen.lines.filter { $0.hasPrefix("Title: ") }.map { String($0.dropFirst(7)) }
        }

        @Test func rowsAreEditedDeletedAndMoved() async throws {
            followInPlainViews()
            try await withModel { model, _ in
                let screen = Screen { ChoresView(model: model) }
                #expect(titles(screen) == ["Cook", "Clean", "Shop"])
                screen.type("Buy", into: "Title")
                screen.type("on", into: "Done")
                await screen.finishUpdates()
                #expect(screen.lines.suffix(5) == ["Title: Buy", "Done: on", "Add", "Undo", "Redo"])
                screen.move([0], to: 3)
                #expect(titles(screen) == ["Clean", "Buy", "Cook"])
                screen.delete([0, 1])
                #expect(titles(screen) == ["Cook"])
                screen.press("Redo")
                screen.press("Undo")
                #expect(titles(screen) == ["Clean", "Buy", "Cook"])
                screen.press("Redo")
                #expect(titles(screen) == ["Cook"])
            }
        }

        @Test func aFilteredListDeletesWhatItShowsAndMovesNothing() async throws {
            followInPlainViews()
            try await withModel { model, _ in
                let screen = Screen { ChoresView(model: model) }
                screen.type("C", into: "Search")
                await screen.finishUpdates()
                #expect(titles(screen) == ["Cook", "Clean"])
                screen.move([0], to: 2)
                screen.delete([1])
                await screen.finishUpdates()
                screen.type("", into: "Search")
                await screen.finishUpdates()
                #expect(titles(screen) == ["Cook", "Shop"])
            }
        }

        @Test func theBackgroundSaves() async throws {
            try await withModel { model, url in
                let phase = Observable(ScenePhase.active)
                let screen = Screen {
                    ObserverView { ChoresWindow(model: model).environment(\.scenePhase, phase.value) }
                }
                model.chores[0].title = "Bake"
                phase.value = .background
                await screen.finishUpdates()
                let saved = try load(ChoreDocument.self, from: url)
                #expect(saved.chores.map(\.title) == ["Bake", "Clean", "Shop"])
            }
        }
    }
}
