// Views without a wrapper that follow state with Observation.

import Observation
import ReactiveAtomsHooks
import ReactiveCollections
import ReactiveSwiftUI
import SwiftUI
import Testing

private let volume = atom(3, named: "volume")
private let loud = ReactiveAtoms.selector(named: "loud") { accessor in try accessor.get(volume) > 5 }

@MainActor private final class Song: Identifiable {
    @Observed var title: String
    @Observed var plays = 0
    lazy var isPopular = Computed(of: self) { $0.plays >= 10 }

    init(_ title: String) { self.title = title }
}

@MainActor private final class Library {
    let songs = ObservableArray<Song>([])
    lazy var popular = songs.live.filter { $0.plays >= 10 }
    @Observed var unrelated = 0
}

private struct SongView: View {
    let song: Song
    var body: some View { Text("\(song.title)\(song.isPopular.value ? "*" : "")") }
}

private struct LibraryView: View {
    let library: Library
    var body: some View {
        Text("\(library.popular.count) of \(library.songs.count)")
        ForEach(library.songs.elements) { SongView(song: $0) }
    }
}

private struct PlaylistView: View {
    let list: Playlist
    var body: some View { Text("\(list.title) \(list.heading.value) \(list.count)") }
}

private struct NumberView: View {
    let number: Reactive.Observable<Int>
    var body: some View { Text("\(number.value)") }
}

private struct VolumeView: View {
    let store: RecoilStore
    var body: some View {
        let isLoud = (try? store.get(loud)) == true
        Text("\((try? store.get(volume)) ?? 0) \(isLoud ? "loud" : "quiet")")
    }
}

private struct ComputedView: View {
    let isLarge: Computed<Bool>
    var body: some View { Text(isLarge.value ? "large" : "small") }
}

private struct SongEditor: View {
    @ReactiveBindable var song: Song
    var body: some View { TextField("Title", text: $song.title) }
}

/// Writes state of other views in its body, which no view should do.
private struct Writing: View {
    let trigger: Reactive.Observable<Int>
    let number: Reactive.Observable<Int>
    var body: some View {
        let _ = { number.value = trigger.value }()
        Text("writer")
    }
}

/// Writes its own state in its body until that is three.
private struct Settling: View {
    let number: Reactive.Observable<Int>
    var body: some View {
        Text("\(number.value)")
        let _ = { if number.value < 3 { number.value += 1 } }()
    }
}

extension StandInTests {
    @MainActor @Suite struct PlainViewTests {
        init() { followInPlainViews() }

        // MARK: The switch

        @Test func theFirstViewOfThePackageSwitchesTheBridgeOn() async {
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    precondition(!ObservationBridge.isEnabledOnMainThread)
                    _ = Screen { ObserverView { Text("") } }
                    precondition(ObservationBridge.isEnabledOnMainThread)
                }
            }
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    _ = Screen { RecoilRoot(store: RecoilStore()) { Text("") } }
                    precondition(ObservationBridge.isEnabledOnMainThread)
                }
            }
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    _ = ReactiveBindable(Song(""))
                    precondition(ObservationBridge.isEnabledOnMainThread)
                }
            }
        }

        @Test func theProgramMaySwitchTheBridgeOff() async {
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    ObservationBridge.isEnabledOnMainThread = false
                    let number = Reactive.Observable(0)
                    let screen = Screen {
                        ObserverView { Text("") }
                        NumberView(number: number)
                    }
                    number.value = 1
                    precondition(!ObservationBridge.isEnabledOnMainThread)
                    precondition(!screen.isDue)
                }
            }
        }

        // MARK: Followed state

        @Test func aPropertyOfAClassIsFollowed() async {
            let song = Song("Blue")
            let screen = Screen { SongView(song: song) }
            song.title = "Red"
            #expect(screen.isDue)
            await screen.finishUpdates()
            #expect(screen.lines == ["Red"])
            song.title = "Green"
            await screen.finishUpdates()
            #expect(screen.lines == ["Green"])
            #expect(screen.drawCount == 3)
            #expect(screen.faults.isEmpty)
        }

        @Test func anObservableOfItsOwnIsFollowed() async {
            let number = Reactive.Observable(0)
            let screen = Screen { NumberView(number: number) }
            number.value = 1
            await screen.finishUpdates()
            #expect(screen.lines == ["1"])
        }

        @Test func aComputedIsFollowedAndEqualResultsUpdateNothing() async {
            let song = Song("Blue")
            let screen = Screen { SongView(song: song) }
            song.plays = 9
            #expect(!screen.isDue)
            song.plays = 10
            await screen.finishUpdates()
            #expect(screen.lines == ["Blue*"])
            song.plays = 11
            #expect(!screen.isDue)
            #expect(screen.drawCount == 2)
        }

        @Test func collectionsAndViewsOfThemAreFollowed() async {
            let library = Library()
            let screen = Screen { LibraryView(library: library) }
            #expect(screen.lines == ["0 of 0"])
            let (blue, red) = (Song("Blue"), Song("Red"))
            library.songs.append(blue)
            library.songs.append(red)
            await screen.finishUpdates()
            #expect(screen.lines == ["0 of 2", "Blue", "Red"])
            #expect(screen.drawCount == 2)
            blue.plays = 10
            await screen.finishUpdates()
            #expect(screen.lines == ["1 of 2", "Blue*", "Red"])
            library.songs.remove(at: 0)
            await screen.finishUpdates()
            #expect(screen.lines == ["0 of 1", "Red"])
            library.unrelated = 1
            #expect(!screen.isDue)
        }

        @Test func onlyTheRowThatReadTheChangedValueIsUpdated() async {
            let library = Library()
            library.songs.append(Song("Blue"))
            library.songs.append(Song("Red"))
            let screen = Screen { LibraryView(library: library) }
            let before = screen.bodyCounts
            library.songs[1].title = "Rose"
            await screen.finishUpdates()
            #expect(screen.lines == ["0 of 2", "Blue", "Rose"])
            #expect(screen.bodyCounts["LibraryView"] == before["LibraryView"])
            #expect(screen.bodyCounts["SongView"] == (before["SongView"] ?? 0) + 1)
        }

        @Test func atomsAndSelectorsOfAStoreAreFollowed() async {
            let store = RecoilStore()
            let screen = Screen { VolumeView(store: store) }
            #expect(screen.lines == ["3 quiet"])
            store.set(volume, 7)
            await screen.finishUpdates()
            #expect(screen.lines == ["7 loud"])
            store.set(volume, 2)
            await screen.finishUpdates()
            #expect(screen.lines == ["2 quiet"])
        }

        @Test func aFieldFollowsItsBinding() async {
            let song = Song("Blue")
            let screen = Screen { SongEditor(song: song) }
            song.title = "Red"
            await screen.finishUpdates()
            #expect(screen.lines == ["Title: Red"])
            screen.type("Rose", into: "Title")
            #expect(song.title == "Rose")
            #expect(screen.lines == ["Title: Rose"])
        }

        @Test func aViewThatCreatesABindingOfAnObservableFollowsIt() async {
            struct Field: View {
                let text: Reactive.Observable<String>
                var body: some View {
                    let _ = text.projectedValue
                    Text(untracked { text.value })
                }
            }
            let text = Reactive.Observable("a")
            let screen = Screen { Field(text: text) }
            text.value = "b"
            await screen.finishUpdates()
            #expect(screen.lines == ["b"])
        }

        @Test func aPlainViewObservesUntilTheSecondChangeAfterItsEnd() async {
            let log = Reactive.Observable<[String]>([])
            let number = Reactive.Observable(
                0, onObserved: { log.value.append("observed") }, onUnobserved: { log.value.append("unobserved") })
            let screen = Screen { NumberView(number: number) }
            #expect(log.value == ["observed"])
            for value in 1...3 {
                number.value = value
                await screen.finishUpdates()
            }
            #expect(screen.lines == ["3"])
            #expect(log.value == ["observed"])
            screen.close()
            number.value = 4
            #expect(log.value == ["observed"])
            number.value = 5
            #expect(log.value == ["observed", "unobserved"])
        }

        @Test func propertiesThatApplesMacroIgnoresAreFollowed() async {
            let list = Playlist()
            let screen = Screen { PlaylistView(list: list) }
            list.title = "Sea"
            await screen.finishUpdates()
            #expect(screen.lines == ["Sea SEA 0"])
            list.count = 1
            await screen.finishUpdates()
            #expect(screen.lines == ["Sea SEA 1"])
        }

        // MARK: Numbers of updates

        @Test func aTransactionUpdatesOnceAndARollBackAndAnEqualValueDoNot() async {
            let song = Song("Blue")
            let screen = Screen { SongView(song: song) }
            inTransaction {
                song.title = "Red"
                song.plays = 20
                #expect(!screen.isDue)
            }
            #expect(screen.isDue)
            await screen.finishUpdates()
            #expect(screen.lines == ["Red*"])
            #expect(screen.drawCount == 2)
            struct Refused: Error {}
            try? inTransaction {
                song.title = "Rose"
                throw Refused()
            }
            song.title = "Red"
            await screen.finishUpdates()
            #expect(screen.drawCount == 2)
        }

        @Test func severalChangesBeforeTheUpdateAreOne() async {
            let number = Reactive.Observable(0)
            let screen = Screen { NumberView(number: number) }
            for value in 1...5 { number.value = value }
            #expect(screen.observedChangeCount == 1)
            await screen.finishUpdates()
            #expect(screen.lines == ["5"])
            #expect(screen.drawCount == 2)
        }

        @Test(arguments: [false, true]) func anAdapterFollowsByItselfAndIsUpdatedOnce(asksTwice: Bool) async {
            let number = Reactive.Observable(0)
            let screen = Screen(asksTwice: asksTwice) {
                ObserverView { Text("\(number.value)") }
                HookScope { Text("\(number.value)") }
            }
            await screen.finishUpdates()
            let draws = screen.drawCount
            number.value = 1
            #expect(screen.observedChangeCount == 0)
            await screen.finishUpdates()
            #expect(screen.lines == ["1", "1"])
            #expect(screen.drawCount == draws + 1)
        }

        @Test func aReactionOfAViewDoesNotUpdateIt() async {
            let number = Reactive.Observable(0)
            var seen: [Int] = []
            let screen = Screen { Text("quiet").onReaction(of: { number.value }) { _, new in seen.append(new) } }
            number.value = 1
            #expect(seen == [1])
            #expect(!screen.isDue)
        }

        // MARK: Threads and updates

        @Test func aChangeOnAnotherThreadArrivesOnTheMainActor() async {
            let number = Reactive.Observable(0)
            let screen = Screen { NumberView(number: number) }
            await Task.detached { number.value = 1 }.value
            while screen.lines != ["1"] { await screen.finishUpdates() }
            #expect(screen.drawCount == 2)
            #expect(screen.faults.isEmpty)
        }

        @Test func aComputedOfTheMainActorIsComparedThere() async {
            let number = Reactive.Observable(1)
            let isLarge = Computed {
                MainActor.assertIsolated()
                return number.value > 5
            }
            let screen = Screen { ComputedView(isLarge: isLarge) }
            await Task.detached { number.value = 2 }.value
            await Task.detached { number.value = 9 }.value
            while screen.lines != ["large"] { await screen.finishUpdates() }
            #expect(screen.drawCount == 2)
        }

        @Test func aReactionRunsAfterAnUpdateInWhichAPlainBodyWrites() async {
            let (trigger, number) = (Reactive.Observable(0), Reactive.Observable(0))
            var seen: [Int] = []
            let screen = Screen {
                Text("quiet").onReaction(of: { number.value }) { _, new in seen.append(new) }
                Writing(trigger: trigger, number: number)
            }
            screen.transaction { trigger.value = 7 }
            #expect(seen == [])
            await screen.finishUpdates()
            #expect(seen == [7])
        }

        @Test(arguments: [false, true]) func aChangeInABodyIsShownAfterTheUpdate(asksTwice: Bool) async {
            let (trigger, number) = (Reactive.Observable(0), Reactive.Observable(0))
            let screen = Screen(asksTwice: asksTwice) {
                NumberView(number: number)
                ObserverView { Text("\(number.value)") }
                Writing(trigger: trigger, number: number)
            }
            trigger.value = 7
            await screen.finishUpdates()
            #expect(screen.lines == ["7", "7", "writer"])
            #expect(screen.faults.isEmpty)
        }

        @Test func aBodyThatWritesWhatItReadFollowsLaterChanges() async {
            let number = Reactive.Observable(0)
            let screen = Screen { Settling(number: number) }
            await screen.finishUpdates()
            number.value = 7
            await screen.finishUpdates()
            #expect(screen.lines == ["7"])
        }

        // MARK: The end of views

        @Test func aRemovedViewLeavesNothingBehind() async {
            let before = Diagnostics.liveReactions.count
            weak var gone: Song?
            do {
                let isShown = Reactive.Observable(true)
                let song = Song("Blue")
                gone = song
                let screen = Screen { ObserverView { if isShown.value { SongView(song: song) } } }
                song.title = "Red"
                await screen.finishUpdates()
                isShown.value = false
                await screen.finishUpdates()
                let count = screen.observedChangeCount
                song.title = "Rose"
                #expect(screen.observedChangeCount == count)
                #expect(!screen.isDue)
                screen.close()
                await screen.finishUpdates()
            }
            #expect(gone == nil)
            #expect(Diagnostics.liveReactions.count == before)
        }

        @Test func manyUpdatesOfAViewLeaveOneSubscription() async {
            let number = Reactive.Observable(0)
            let before = Diagnostics.liveReactions.count
            let screen = Screen { NumberView(number: number) }
            let after = Diagnostics.liveReactions.count
            for value in 1...100 {
                number.value = value
                await screen.finishUpdates()
            }
            #expect(screen.lines == ["100"])
            #expect(Diagnostics.liveReactions.count == after)
            #expect(after <= before + 1)
        }

        // MARK: Animation

        @Test func aChangeInWithAnimationAnimatesAPlainView() async {
            let song = Song("Blue")
            let screen = Screen { SongView(song: song) }
            withAnimation { song.title = "Red" }
            #expect(screen.isDue)
            await screen.finishUpdates()
            #expect(screen.animatedBodyCounts["SongView"] == 1)
            withAnimation {
                inTransaction {
                    song.title = "Rose"
                    song.plays = 12
                }
            }
            await screen.finishUpdates()
            #expect(screen.lines == ["Rose*"])
            #expect(screen.animatedBodyCounts["SongView"] == 2)
        }

        @Test func aChangeOfAComputedAndOfAnAtomIsAnimatedToo() async {
            let song = Song("Blue")
            let store = RecoilStore()
            let screen = Screen {
                SongView(song: song)
                VolumeView(store: store)
            }
            withAnimation {
                song.plays = 10
                store.set(volume, 9)
            }
            await screen.finishUpdates()
            #expect(screen.lines == ["Blue*", "9 loud"])
            #expect(screen.animatedBodyCounts["SongView"] == 1)
            #expect(screen.animatedBodyCounts["VolumeView"] == 1)
        }
    }
}
