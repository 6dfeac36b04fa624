// The encoded and printed forms of arrays equal those of plain arrays.

import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Playlist: Codable {
    var title = "mix"
    var tracks = ObservableArray(["a", "b"])
}

@Suite(.ownGraph, .timeLimit) struct ArrayCodingTests {
    @Test func anObservableArrayIsEncodedAsAPlainArray() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(Playlist()), as: UTF8.self) == #"{"title":"mix","tracks":["a","b"]}"#)
        let playlist = try JSONDecoder().decode(Playlist.self, from: Data(#"{"title":"x","tracks":["c"]}"#.utf8))
        #expect(playlist.tracks == ["c"])
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = playlist.tracks.elements
        }
        defer { reaction.cancel() }
        playlist.tracks[0] = "c"
        #expect(runs == 1)
        #expect(try encoder.encode(ObservableArray([1, 2])) == encoder.encode([1, 2]))
        #expect(try JSONDecoder().decode(ObservableArray<Int>.self, from: Data("[]".utf8)).isEmpty)
    }

    @Test func encodingSubscribes() {
        let array: ObservableArray = [1]
        var encoded: [String] = []
        let reaction = autorun {
            encoded.append(String(decoding: (try? JSONEncoder().encode(array)) ?? Data(), as: UTF8.self))
        }
        defer { reaction.cancel() }
        array.append(2)
        #expect(encoded == ["[1]", "[1,2]"])
    }

    @Test func anObservableArrayPrintsAsAPlainArray() {
        let array: ObservableArray = ["a", "b"]
        #expect("\(array)" == #"["a", "b"]"#)
        #expect(String(reflecting: array) == #"["a", "b"]"#)
        #expect(Mirror(reflecting: array).children.map { "\($0.value)" } == ["a", "b"])
        #expect(Mirror(reflecting: array).displayStyle == .collection)
        #expect("\(array.snapshot)" == "\(array.elements)")
        var runs = 0
        let reaction = autorun {
            runs += 1
            _ = "\(array)"
        }
        defer { reaction.cancel() }
        array.append("c")
        #expect(runs == 1)
    }

    @Test func nodesHaveItsName() {
        let array = ObservableArray([1], named: "numbers")
        let reaction = autorun(named: "watcher") { _ = array.count }
        defer { reaction.cancel() }
        #expect(Diagnostics.graph().description.contains("numbers"))
    }
}
