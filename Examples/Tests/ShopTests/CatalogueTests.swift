// Catalogues and amounts of money, as texts.

import Foundation
import ProgramSupport
import ShopCore
import Testing

@Suite struct CatalogueTests {
    private func read(_ text: String) throws(CatalogueError) -> Catalogue { try Catalogue(csv: Array(text.utf8)) }

    @Test func quotesCommasAndUnicodeAreRead() throws {
        let catalogue = try read(small)
        #expect(catalogue.products.map(\.name) == ["Apple, red", "Banana \"Cavendish\"", "Crème"])
        #expect(catalogue.products.map(\.price.cents) == [50, 25, 199])
        #expect(catalogue[code: "C"]?.stock == 0)
        #expect(catalogue[code: "D"] == nil)
        #expect(catalogue.problems == [])
    }

    @Test func columnsMayHaveAnyOrderAndOthersAreIgnored() throws {
        let catalogue = try read("\u{FEFF}Stock, NAME ,note,price,category,code\r\n2,Pear,juicy,3,Fruit,p-1\r\n\r\n")
        #expect(
            catalogue.products == [
                Product(code: "P-1", name: "Pear", category: "Fruit", price: Money(cents: 300), stock: 2)
            ])
    }

    @Test func aBrokenRowIsReportedWithItsLineAndTheOthersAreUsed() throws {
        let catalogue = try read(
            """
            code,name,category,price,stock
            A,"Apple
            green",Fruit,1,1
            B,Banana,Fruit,1.234,1
            C,Cherry,Fruit,1,1,
            D,Date,Fruit,1,-1
            a,Apricot,Fruit,2,2
            A,Apple,Fruit,2,2
            E,,Fruit,1,1
            F F,Fig,Fruit,1,1
            G,Grape
            """)
        #expect(catalogue.products.map(\.name) == ["Apricot"])
        #expect(
            catalogue.problems == [
                "line 2: the name has a line break or control character; write it on one line",
                "line 4: the price \"1.234\" is not an amount from 0.01 to 999999.99; write it as in 4.50",
                "line 5: 6 fields instead of 5; put a field with a comma in quotes",
                "line 6: the stock \"-1\" is not a number from 0 to 9999; write the number of pieces",
                "line 8: a previous line has the code A; give this product a different code",
                "line 9: the name is missing; write one",
                "line 10: the code \"F F\" contains a space; remove it",
                "line 11: the category is missing; write one",
            ])
    }

    @Test func aFileThatIsNoCatalogueIsRefused() throws {
        #expect(throws: CatalogueError(description: "2:3: this quote is never closed; add a closing quote")) {
            try read("code,name,category,price,stock\nA,\"Apple,Fruit,1,1\n")
        }
        let message = "its first line lacks the column \"price\"; begin the file with code,name,category,price,stock"
        #expect(throws: CatalogueError(description: message)) { try read("code,name,category\n") }
        #expect(throws: CatalogueError.self) { try read("") }
    }

    @Test func aFileThatIsMissingIsNamed() async throws {
        await #expect(
            throws: CatalogueError(description: "/none.csv cannot be read: there is no such file; check the path")
        ) { try await CatalogueSource.file("/none.csv").read() }
    }

    @Test func theSampleIsAValidCatalogue() async throws {
        let sample = applicationFolder("Shop").appendingPathComponent("catalogue.csv")
        let catalogue = try await CatalogueSource.file(sample.path).read()
        #expect(catalogue.products.count == 60)
        #expect(catalogue.problems == [])
    }

    @Test func moneyIsReadAndWrittenInCents() {
        for (text, cents) in [("4", 400), ("4.5", 450), ("4.05", 405), ("0.01", 1), ("999999.99", 99_999_999)] {
            #expect(Money(text)?.cents == cents)
        }
        for text in ["", ".", "4.", ".5", "4.505", "-4", "+4", "4,50", "1e3", "1000000", "٤", "4 "] {
            #expect(Money(text) == nil, "\(text)")
        }
        #expect(
            [0, 5, 450, -5, -1234].map { Money(cents: $0).description } == ["0.00", "0.05", "4.50", "-0.05", "-12.34"])
        for cents in 0..<2000 { #expect(Money(Money(cents: cents).description)?.cents == cents) }
    }
}
