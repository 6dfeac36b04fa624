// A program that uses one product needs one import: each product re-exports the modules that its API mentions.
//
// Each other file of this folder imports one product and nothing else. The test is that they compile.

import TestSupport
import Testing

@Suite(.ownGraph, .timeLimit) struct OneImportTests {
    @Test func atoms() { #expect(atomsOfOneImport() == [2, 15]) }

    @Test func atomsHooks() { #expect(atomsWithHooksOfOneImport() == ["1 cm", "5 cm", "5 m"]) }

    @Test func atomsHooksTesting() { #expect(hooksUnderTestOfOneImport() == [2, 10, 15]) }

    @Test func atomsTesting() { #expect(nodesUnderTestOfOneImport() == [10, 15]) }

    @Test func codable() throws { #expect(try graphOfOneImport() == ["Ann", "Bob", "/name", "Cleo", "/name"]) }

    @Test func collections() { #expect(collectionsOfOneImport() == [2, 3, 4]) }

    @Test func collectionsHooks() { #expect(renderedListOfOneImport() == [["- a"], ["- a", "- b"]]) }

    @Test func hooks() { #expect(hooksOfOneImport() == ["1 cm", "2 cm", "2 m"]) }

    @Test func inspector() { #expect(pageOfOneImport().contains("\"count\"")) }
}
