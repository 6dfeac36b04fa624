// `AtomSelector`, and the modules that `import ReactiveAtoms` exports.

import ReactiveAtoms
import Testing

/// Objective-C's type, where it is visible.
private struct Selector {}

@Suite struct AtomSelectorTests {
    @Test func aSelectorHasANameThatObjectiveCDoesNotUse() throws {
        let total: AtomSelector<Int> = selector { _ in 3 }
        #expect(try RecoilStore().value(total) == 3)
        _ = Selector()
    }

    @Test func theModuleExportsTheCore() {
        let text = Observable("a")
        let length = Computed { text.value.count }
        #expect(length.value == 1)
    }
}
