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
    @Observed var room = "Kitchen"
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

    var savingError: (any Error)? { saving.lastError }

    init(at url: URL) {
        let folder = url.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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

#if !canImport(Darwin)
extension URL {
    fileprivate static var applicationSupportDirectory: URL { FileManager.default.temporaryDirectory }
}
#endif

struct ChoresApp: App {
    @State private var model = ChoreModel(
        at: .applicationSupportDirectory.appending(path: "Chores/chores.json"))

    init() { ObservationBridge.isEnabledOnMainThread = true }

    var body: some Scene {
        WindowGroup { ChoresWindow(model: model) }
    }
}

struct CheckedChoresView: View {
    let model: ChoreModel
    @State private var hasFailed = false

    var body: some View {
        ChoresView(model: model)
            .onReaction(of: { model.savingError != nil }) { _, fails in hasFailed = fails }
            .alert("Not saved", isPresented: $hasFailed) {
                Button("OK") { hasFailed = false }
            } message: {
                Text(model.savingError.map { "\($0)" } ?? "")
            }
    }
}

struct ChoreSection: Identifiable {
    let id: String
    let chores: LiveArray<Chore>
}

@MainActor
final class ChoreSections {
    let chores: ObservableArray<Chore>
    let sections: LiveArray<ChoreSection>

    init(of chores: ObservableArray<Chore>) {
        self.chores = chores
        sections = chores.live
            .filter { !$0.isDone }
            .sorted(by: \.title)
            .grouped(by: \.room)
            .sorted(by: { $0.key })
            .map { ChoreSection(id: $0.key, chores: $0.value) }
    }

    func remove(atOffsets offsets: IndexSet, from section: ChoreSection) {
        let ids = offsets.map { section.chores.elements[$0].id }
        inTransaction {
            for id in ids { chores.remove(id: id) }
        }
    }
}

struct ChoreSectionView: View {
    let section: ChoreSection
    let model: ChoreSections

    var body: some View {
        Section(section.id) {
            ForEach(section.chores.elements) { ChoreRow(chore: $0) }
                .onDelete { model.remove(atOffsets: $0, from: section) }
        }
    }
}

struct ChoreSectionsView: View {
    let model: ChoreSections

    var body: some View {
        List {
            ForEach(model.sections.elements) { ChoreSectionView(section: $0, model: model) }
        }
    }
}

@MainActor
final class ChoreNavigation {
    @Observed var path: [UUID] = []

    init(in chores: ObservableArray<Chore>) {
        reaction(of: self) { me in
            me.path.filter { chores.contains(id: $0) }
        } onChange: { me, path in
            me.path = path
        }
    }
}

@MainActor
final class ChoreEditor {
    private let chore: Chore
    @Observed var title: String

    init(of chore: Chore) {
        self.chore = chore
        title = chore.title
    }

    func save() { chore.title = title }
}

struct ChoreEditorView: View {
    @State private var editor: ChoreEditor

    init(of chore: Chore) { _editor = State(wrappedValue: ChoreEditor(of: chore)) }

    var body: some View {
        TextField("Title", text: ReactiveBindable(editor).title)
        Button("Save") { editor.save() }
    }
}

#if canImport(DeveloperToolsSupport)
#Preview {
    let model = ChoreModel(at: .temporaryDirectory.appending(path: "\(UUID()).json"))
    let _ = model.history.untracked { model.chores.append(Chore(title: "Cook")) }
    ObserverView { ChoresView(model: model) }
}
#endif

extension ChoreModel {
    fileprivate func endSaving() { saving.cancel() }
}

extension StandInTests {
    @MainActor @Suite struct ListSamples {
        private func withModel(_ body: (ChoreModel, URL) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = folder.appendingPathComponent("chores.json")
            let model = ChoreModel(at: url)
            defer { model.endSaving() }
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

        @Test func sectionsAreSortedAndDeleteTheirOwnRows() async throws {
            followInPlainViews()
            let chores: ObservableArray = [
                Chore(title: "Sweep", room: "Hall"), Chore(title: "Cook"), Chore(title: "Bake"),
            ]
            let screen = Screen { ChoreSectionsView(model: ChoreSections(of: chores)) }
            let rows = { screen.lines.filter { !$0.hasPrefix("Done") } }
            #expect(rows() == ["Hall", "Title: Sweep", "Kitchen", "Title: Bake", "Title: Cook"])
            let bodies = screen.bodyCounts
            chores.append(Chore(title: "Dust", room: "Hall"))
            await screen.finishUpdates()
            #expect(rows() == ["Hall", "Title: Dust", "Title: Sweep", "Kitchen", "Title: Bake", "Title: Cook"])
            #expect(screen.bodyCounts["ChoreSectionsView"] == bodies["ChoreSectionsView"])
            screen.delete([1])
            await screen.finishUpdates()
            #expect(rows() == ["Hall", "Title: Dust", "Title: Sweep", "Kitchen", "Title: Bake"])
            for chore in chores.elements where chore.room == "Kitchen" { chore.room = "Cellar" }
            await screen.finishUpdates()
            #expect(rows() == ["Cellar", "Title: Bake", "Hall", "Title: Dust", "Title: Sweep"])
        }

        @Test func aDeletedChoreLeavesThePath() async throws {
            let chores: ObservableArray = [Chore(title: "Cook")]
            let navigation = ChoreNavigation(in: chores)
            navigation.path = [chores[0].id]
            #expect(navigation.path == [chores[0].id])
            chores.removeAll()
            #expect(navigation.path.isEmpty)
        }

        @Test func anEditorKeepsItsDraft() async throws {
            followInPlainViews()
            let chore = Chore(title: "Cook")
            let screen = Screen {
                ObserverView {
                    Text(chore.title)
                    ChoreEditorView(of: chore)
                }
            }
            screen.type("Bake", into: "Title")
            chore.title = "Fry"
            await screen.finishUpdates()
            #expect(screen.lines == ["Fry", "Title: Bake", "Save"])
            screen.press("Save")
            await screen.finishUpdates()
            #expect(chore.title == "Bake")
        }

        @Test func aFailedSaveIsShown() async throws {
            try await withModel { model, url in
                let screen = Screen { CheckedChoresView(model: model) }
                await screen.finishUpdates()
                #expect(!screen.lines.contains("Not saved"))
                try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
                model.chores.append(Chore(title: "Bake"))
                model.save()
                await screen.finishUpdates()
                #expect(screen.lines.contains("Not saved"))
                #expect(screen.lines.contains { $0.contains("because its folder does not exist") })
                screen.press("OK")
                await screen.finishUpdates()
                #expect(!screen.lines.contains("Not saved"))
            }
        }

        @Test func rowsOfAPreviewAreNotUndone() async throws {
            try await withModel { model, _ in
                let count = model.history.undoCount
                model.history.untracked { model.chores.append(Chore(title: "Bake")) }
                #expect(model.history.undoCount == count)
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
