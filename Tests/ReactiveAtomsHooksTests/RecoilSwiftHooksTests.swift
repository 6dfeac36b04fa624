// Components in the style of RecoilSwift, with hooks.

import Reactive
import ReactiveAtomsHooks
import ReactiveAtomsHooksTesting
import ReactiveAtomsTesting
import Testing
import TestSupport

private struct Names {
    static var namesState: Atom<[String]> { atom { ["", "Ella", "Chris", "", "Paul"] } }

    static var filteredNamesState: ReactiveAtoms.Selector<[String]> {
        selector { get -> [String] in
            try get(namesState).filter { $0 != "" }
        }
    }

    static var selectedCategoryState: Atom<String> { atom("news") }

    static var fetchRemoteDataById: AsyncSelectorFamily<String, [String]> {
        selectorFamily { (id: String, get: Getter) async -> [String] in
            await Task.yield()
            return ["\(id) 1", "\(id) 2"]
        }
    }
}

private struct NameList: HookView {
    var hookBody: String {
        let names = useRecoilState(Names.namesState)
        let filteredNames = useRecoilValue(Names.filteredNamesState)
        return "\(names.wrappedValue.count): \(filteredNames.joined(separator: ","))"
    }
}

@Suite(.ownGraph, .timeLimit) struct RecoilSwiftHooksTests {
    @RecoilTestScope(isolation: nil) var recoil

    @Test func aListOfNames() {
        let page = HookRenderer { RecoilRoot(store: recoil.store) { NameList().body } }
        #expect(page.output == "5: Ella,Chris,Paul")
        recoil.store.set(Names.namesState, ["Ann", ""])
        #expect(page.output == "2: Ann")
        page.unmount()
    }

    @Test func aLoadableOfAFamily() async {
        let tester = HookTester(scope: _recoil, isolation: nil) {
            HookScope {
                let id = useRecoilValue(Names.selectedCategoryState)
                let loadable = useRecoilValueLoadable(Names.fetchRemoteDataById(id))
                if loadable.isLoading { return (text: "loading", onRetry: loadable.retry) }
                if let error = loadable.errors.first { return (text: "\(error)", onRetry: loadable.retry) }
                return (text: (loadable.data ?? []).joined(separator: ","), onRetry: loadable.retry)
            }
        }
        #expect(await tester.value { $0.text == "news 1,news 2" }.text == "news 1,news 2")
        recoil.store.set(Names.selectedCategoryState, "sport")
        let sport = await tester.value { $0.text == "sport 1,sport 2" }
        sport.onRetry()
        #expect(await tester.value { $0.text == "sport 1,sport 2" }.text == "sport 1,sport 2")
        tester.dispose()
    }

    @Test func aCallbackThatKeepsAReaction() {
        let source = Observable(["Zoe"])
        let tester = HookTester(scope: _recoil) {
            useRecoilCallback { context in
                let before = context.getUnsafe(Names.namesState)
                reaction {
                    source.value
                } onChange: {
                    context.set(Names.namesState, before + $0)
                }.store(in: context)
            }
        }
        tester.value()
        source.value = ["Max"]
        #expect(recoil.useValue(Names.filteredNamesState) == ["Ella", "Chris", "Paul", "Max"])
        tester.dispose()
        source.value = ["late"]
        #expect(recoil.useValue(Names.filteredNamesState) == ["Ella", "Chris", "Paul", "Max"])
    }
}
