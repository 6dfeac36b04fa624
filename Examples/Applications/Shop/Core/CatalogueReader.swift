// A catalogue from comma-separated values. An invalid row is reported with its line, and the others are used. An
// invalid file is refused.

import Conversation
import Foundation
import SheetCore

/// The reason why a file is not a catalogue.
package struct CatalogueError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// The source of a catalogue.
package enum CatalogueSource: Hashable, Sendable {
    /// A file, by its path. It may be read again.
    case file(String)
    /// The content of a file that comes with the program.
    case sample([UInt8])

    /// Reads the catalogue.
    ///
    /// - Throws: `CatalogueError` with the path, the error and the remedy.
    package func read() async throws(CatalogueError) -> Catalogue {
        switch self {
        case .sample(let bytes): return try Catalogue(csv: bytes)
        case .file(let path):
            let bytes: [UInt8]
            do {
                bytes = try CSVFile.contents(of: path)
            } catch {
                throw CatalogueError(description: "\(path.shortened) cannot be read: \(error)")
            }
            do {
                return try Catalogue(csv: bytes)
            } catch {
                throw CatalogueError(description: "\(path.shortened) is not a catalogue: \(error.description)")
            }
        }
    }
}

extension Catalogue {
    private enum Column: String, CaseIterable {
        case code, name, category, price, stock
    }

    /// Reads the bytes of a file.
    ///
    /// - Throws: `CatalogueError` if they are not comma-separated values, or the first row does not name the columns.
    package init(csv bytes: [UInt8]) throws(CatalogueError) {
        let rows: [CSVReader.Row]
        do {
            rows = try CSVReader.numberedRows(of: bytes)
        } catch {
            throw CatalogueError(description: error.description)
        }
        self.init()
        let header = rows.first?.fields ?? []
        let columns = try Self.columns(of: header)
        for row in rows.dropFirst() where row.fields != [""] {
            do throws(CatalogueError) {
                guard row.fields.count <= header.count else {
                    // Nearly always a comma inside a field without quotes.
                    throw CatalogueError(
                        description: """
                            \(row.fields.count) fields instead of \(header.count); put a field with a comma in quotes
                            """)
                }
                let product = try Self.product(row.fields, columns)
                if self[code: product.code] != nil {
                    throw CatalogueError(
                        description: "a previous line has the code \(product.code); give this product a different code")
                }
                add(product)
            } catch {
                report("line \(row.line): \(error.description)")
            }
        }
    }

    /// Returns the index of each column.
    private static func columns(of header: [String]) throws(CatalogueError) -> [Column: Int] {
        let names = header.map { $0.trimmed.lowercased() }
        var columns: [Column: Int] = [:]
        for column in Column.allCases {
            guard let index = names.firstIndex(of: column.rawValue) else {
                throw CatalogueError(
                    description: """
                        its first line lacks the column "\(column.rawValue)"; begin the file with \
                        \(Column.allCases.map(\.rawValue).joined(separator: ","))
                        """)
            }
            columns[column] = index
        }
        return columns
    }

    private static func product(_ fields: [String], _ columns: [Column: Int]) throws(CatalogueError) -> Product {
        func text(_ column: Column) throws(CatalogueError) -> String {
            let index = columns[column]!
            let text = index < fields.count ? fields[index].trimmed : ""
            guard !text.isEmpty else { throw CatalogueError(description: "the \(column) is missing; write one") }
            guard text == text.onOneLine else {
                throw CatalogueError(
                    description: "the \(column) has a line break or control character; write it on one line")
            }
            return text
        }
        let code = try text(.code).uppercased()
        guard !code.contains(where: \.isWhitespace) else {
            throw CatalogueError(description: "the code \"\(code.shortened)\" contains a space; remove it")
        }
        let (name, category) = (try text(.name), try text(.category))
        let priceText = try text(.price)
        guard let price = Money(priceText), price > .zero else {
            throw CatalogueError(
                description: """
                    the price "\(priceText.shortened)" is not an amount from 0.01 to \(Money.largest); \
                    write it as in 4.50
                    """)
        }
        let stockText = try text(.stock)
        guard let stock = Int(stockText), Cart.possiblePieces ~= stock || stock == 0 else {
            throw CatalogueError(
                description: """
                    the stock "\(stockText.shortened)" is not a number from 0 to \(Cart.possiblePieces.upperBound); \
                    write the number of pieces
                    """)
        }
        return Product(code: code, name: name, category: category, price: price, stock: stock)
    }
}
