// Commands: their changes, their output, and the errors of invalid ones.

import Foundation
import OutlineCore
import ProgramSupport
import Testing

@Suite(.alone) struct SessionTests {
    @Test func showPrintsTheOutlineOrAPartOfIt() throws {
        #expect(
            try replies(to: "show", "show 1.2") == [
                "1 [ ] a (1/2)", "  1.1 [ ] b", "  1.2 [x] c", "2 [ ] d", "  1.2 [x] c",
            ])
        #expect(try replies(to: "show", on: empty) == ["the outline is empty; add TITLE adds an item"])
    }

    @Test func anEditPrintsOnlyChangedLines() throws {
        #expect(try replies(to: "rename 1.1 B") == ["  1.1 [ ] B"])
        #expect(try replies(to: "rename 1.1: B") == ["  1.1 [ ] B"])
        #expect(try replies(to: "done 1.1") == ["1 [ ] a (2/2)", "  1.1 [x] b"])
        #expect(try replies(to: "add e") == ["3 [ ] e"])
        #expect(try replies(to: "add 2: e") == ["2 [ ] d (0/1)", "  2.1 [ ] e"])
        #expect(try replies(to: "add 3 eggs") == ["3 [ ] 3 eggs"])
    }

    @Test func tickingAnItemTicksAllItemsBelowIt() throws {
        #expect(try replies(to: "done 1") == ["1 [x] a (2/2)", "  1.1 [x] b"])
        #expect(try replies(to: "undone 1") == ["1 [ ] a (0/2)", "  1.2 [ ] c"])
    }

    @Test func aDeletionPrintsTheMovedItemsAndTheRemovedNumbers() throws {
        #expect(try replies(to: "delete 1.1") == ["1 [ ] a (1/1)", "  1.1 [x] c", "  1.2 gone"])
        #expect(try replies(to: "delete 1") == ["1 [ ] d", "  1.1 gone", "  1.2 gone", "2 gone"])
        #expect(try replies(to: "delete 2") == ["2 gone"])
    }

    @Test func anItemMovesWithAllItemsBelowIt() throws {
        #expect(
            try replies(to: "move 1 after 2") == [
                "1 [ ] d", "  1.1 gone", "  1.2 gone", "2 [ ] a (1/2)", "  2.1 [ ] b", "  2.2 [x] c",
            ])
        #expect(try replies(to: "move 1.2 before 1.1") == ["  1.1 [x] c", "  1.2 [ ] b"])
        #expect(
            try replies(to: "move 2 into 1.1", "show").suffix(4) == [
                "1 [ ] a (1/3)", "  1.1 [ ] b (0/1)", "    1.1.1 [ ] d", "  1.2 [x] c",
            ])
        #expect(try replies(to: "move 1.1 into 1") == ["  1.1 [x] c", "  1.2 [ ] b"])
    }

    @Test func anEditThatChangesNothingIsReported() throws {
        for edit in ["undone 2", "rename 2 d", "move 1 before 2", "move 2 after 1", "move 1.2 into 1"] {
            #expect(try replies(to: edit, "undo") == ["nothing has changed", "there is nothing to undo"])
        }
    }

    @Test func undoAndRedoPrintTheirChanges() throws {
        #expect(
            try replies(to: "done 2", "delete 1.1", "undo", "undo", "redo", "redo", "redo") == [
                "2 [x] d",
                "1 [ ] a (1/1)", "  1.1 [x] c", "  1.2 gone",
                "1 [ ] a (1/2)", "  1.1 [ ] b", "  1.2 [x] c",
                "2 [ ] d",
                "2 [x] d",
                "1 [ ] a (1/1)", "  1.1 [x] c", "  1.2 gone",
                "there is nothing to redo",
            ])
    }

    @Test func anEditAfterUndoDropsTheRedoableEdits() throws {
        #expect(
            try replies(to: "done 2", "undo", "rename 2 D", "redo") == [
                "2 [x] d", "2 [ ] d", "2 [ ] D", "there is nothing to redo",
            ])
    }

    @Test func changesAreShownAsPatchesOnRequest() throws {
        #expect(
            try replies(to: "done 2", "patch on", "undone 2", "add e", "undo", "patch off", "done 2") == [
                "2 [x] d",
                "2 [ ] d", #"[{"op":"replace","path":"/items/1/isDone","value":false}]"#,
                "3 [ ] e", #"[{"op":"add","path":"/items/2","value":{"isDone":false,"items":[],"title":"e"}}]"#,
                "3 gone", #"[{"op":"remove","path":"/items/2"}]"#,
                "2 [x] d",
            ])
    }

    /// For any number of items, a patch has one operation for the edited item.
    @Test func anEditOfOneItemAmongAThousandIsOneOperation() throws {
        let folder = try TemporaryFolder()
        let items = (1...1_000).map { #"{"title": "item \#($0)"}"# }.joined(separator: ",")
        let path = try folder.file("long.json", #"{"items": [\#(items)]}"#)
        let edits = ["rename 500 b", "done 500", "delete 500", "move 2 after 900", "move 999 before 1", "add c"]
        let lines = ["patch on"] + edits + Array(repeating: "undo", count: edits.count)
        let patches = try replies(to: lines, on: path).filter { $0.hasPrefix("[") }
        #expect(
            patches.prefix(edits.count) == [
                #"[{"op":"replace","path":"/items/499/title","value":"b"}]"#,
                #"[{"op":"replace","path":"/items/499/isDone","value":true}]"#,
                #"[{"op":"remove","path":"/items/499"}]"#,
                #"[{"from":"/items/1","op":"move","path":"/items/899"}]"#,
                #"[{"from":"/items/998","op":"move","path":"/items/0"}]"#,
                #"[{"op":"add","path":"/items/999","value":{"isDone":false,"items":[],"title":"c"}}]"#,
            ])
        #expect(patches.count == 2 * edits.count)
        #expect(patches.allSatisfy { $0.components(separatedBy: #""op""#).count == 2 }, "\(patches)")
    }

    @Test func aTransactionIsOneChange() throws {
        #expect(
            try replies(to: "patch on", "begin", "done 2", "rename 2 D", "show 2", "commit", "undo") == [
                "2 [x] D",
                "2 [x] D",
                #"[{"op":"replace","path":"/items/1/isDone","value":true},"#
                    + #"{"op":"replace","path":"/items/1/title","value":"D"}]"#,
                "2 [ ] d",
                #"[{"op":"replace","path":"/items/1/title","value":"d"},"#
                    + #"{"op":"replace","path":"/items/1/isDone","value":false}]"#,
            ])
        #expect(
            try replies(to: "begin", "delete 1", "rollback", "undo") == ["rolled back", "there is nothing to undo"])
        #expect(
            try replies(to: "begin", "delete 1") == ["rolled back: the input ended without commit"])
    }

    @Test func commandsThatATransactionForbidsAreExplained() throws {
        let open = "a transaction is open; commit or rollback ends it"
        #expect(
            try replies(to: "begin", "begin", "undo", "redo", "save", "quit", "commit", "commit", "rollback") == [
                "a transaction is open already; commit or rollback ends it", open, open, open, open,
                "no transaction is open; begin opens one",
                "no transaction is open; begin opens one",
            ])
    }

    @Test func missingItemsAreReportedWithTheExistingOnes() throws {
        #expect(
            try replies(to: "done 3", "show 2.1", "add 1.3: x", "delete 1.1.1", "move 9 before 1", "move 1 into 7") == [
                "there is no item 3; the last one is 2", "there is no item 2.1; there are no items below 2",
                "there is no item 1.3; the last one below 1 is 1.2",
                "there is no item 1.1.1; there are no items below 1.1", "there is no item 9; the last one is 2",
                "there is no item 7; the last one is 2",
            ])
        #expect(try replies(to: "done 1", on: empty) == ["there is no item 1; the outline is empty"])
    }

    @Test func anItemIsNotMovedBelowItself() throws {
        let refusals = try replies(to: "move 1 into 1", "move 1 before 1.2", "move 1 after 1", "show")
        #expect(refusals.prefix(3).allSatisfy { $0 == "1 cannot be moved next to or into itself or an item below it" })
        #expect(refusals.dropFirst(3).elementsEqual(try replies(to: "show")))
    }

    @Test(arguments: [
        ("frob", "unknown command \"frob\"; help lists the commands"),
        ("add", "add needs a title, as in add Pack or add 2.1: Pack"),
        ("add 2:", "add needs a title, as in add Pack or add 2.1: Pack"),
        ("rename", "the item is missing; write its number, as in rename 2.1 Pack"),
        ("rename 1", "rename needs a title, as in rename 2.1 Pack"),
        ("done", "the item is missing; write its number, as in done 2.1"),
        ("done 0", "\"0\" is not the number of an item; write it as in done 2.1"),
        ("done 1.", "\"1.\" is not the number of an item; write it as in done 2.1"),
        ("done 99999999999999999999", "\"99999999999999999999\" is not the number of an item; write it as in done 2.1"),
        ("move 1", "move needs before, after or into, as in move 2.1 before 1"),
        ("move 1 to 2", "move needs before, after or into, as in move 2.1 before 1"),
        ("move 1 before", "the item is missing; write its number, as in move 2.1 before 1"),
        ("patch", "patch needs on or off"),
        ("undo 2", "undo takes no argument"),
        ("save x.json", "save takes no argument"),
    ])
    func invalidCommandsAreExplained(line: String, message: String) throws {
        #expect(try replies(to: line) == ["" + message])
    }

    @Test func spacesCommentsAndCapitalsAreIgnored() throws {
        #expect(try replies(to: "", "  # done 2", "\tDONE   2  ") == ["2 [x] d"])
    }

    @Test func titlesOfSeveralLinesArePrintedOnOne() throws {
        let outline = #"{"items": [{"title": "a\nb\u001b[2J"}]}"#
        #expect(try replies(to: "show", on: outline) == ["1 [ ] a↵b·[2J"])
    }

    @Test func itemsMayBeNestedAsDeepAsAFileCanBeRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("deep.json")
        var number = "1"
        var lines = ["add x"]
        while lines.count < ItemNumber.maximumDepth {
            lines.append("add \(number): x")
            number += ".1"
        }
        let refusal = "items can be nested at most 200 levels deep"
        let made = try replies(to: lines + ["add \(number): x", "add y", "move 1 into 2"], on: path)
        #expect(made.suffix(3) == [refusal, "2 [ ] y", refusal])
        #expect(try replies(to: ["show"], on: path).count == ItemNumber.maximumDepth + 1)
    }

    @Test func quitEndsTheSession() throws {
        #expect(try replies(to: "quit", "done 2") == [])
    }

    @Test func helpListsTheCommands() throws {
        let help = try replies(to: "help")
        for command in ["add", "rename", "done", "move", "delete", "undo", "begin", "patch on", "save", "quit"] {
            #expect(help.contains { $0.hasPrefix(command) }, "\(command)")
        }
    }
}
