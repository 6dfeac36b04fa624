// The reducer of the form, without a form.

import DashCore
import Testing

@Suite struct SignUpTests {
    private func state(_ actions: SignUp.Action...) -> SignUp { actions.reduce(SignUp(), SignUp.reduce) }
    private func typing(_ text: String) -> [SignUp.Action] { text.map { .type($0) } }

    @Test func charactersAreAddedToTheCurrentField() {
        let state = state(.type("A"), .type("x"), .erase, .move(1), .type("@"))
        #expect(state.texts == [.name: "A", .mail: "@"])
    }

    @Test func erasingNothingDoesNothing() {
        #expect(state(.erase) == SignUp())
    }

    @Test func theFocusStaysInTheForm() {
        #expect(state(.move(-1)).current == .name)
        #expect(state(.move(1), .move(1)).current == .mail)
    }

    @Test func submittingReportsAllProblemsAndFocusesTheFirst() {
        let state = state(.move(1), .submit)
        #expect(
            state.problems == [.name: "enter a name", .mail: "enter an address like ann@example.org"])
        #expect(state.current == .name)
        #expect(state.member == nil)
    }

    @Test func aProblemIsGoneWhenItsFieldIsEdited() {
        #expect(state(.submit, .type("A")).problems.keys.sorted { $0.rawValue < $1.rawValue } == [.mail])
    }

    @Test(arguments: ["", "ann", "@", "ann@", "@x", "a@b@c", "a b@c"])
    func anAddressHasTwoParts(text: String) {
        let actions = typing("Ann") + [.move(1)] + typing(text) + [.submit]
        #expect(actions.reduce(SignUp(), SignUp.reduce).problems.count == 1)
    }

    @Test func aGoodFormIsSubmittedAndEmptied() {
        let actions = typing("Ann") + [.move(1)] + typing("ann@example.org") + [.submit]
        #expect(actions.reduce(SignUp(), SignUp.reduce) == SignUp(member: "Ann <ann@example.org>"))
    }
}
