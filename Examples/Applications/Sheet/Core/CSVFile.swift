// Sheets in files.

import Foundation

/// Reading and writing sheets as files of comma-separated values.
package enum CSVFile {
    /// The reason why a file is not read or written.
    package struct Failure: Error, CustomStringConvertible {
        /// The reason.
        package let description: String
    }

    /// Returns all bytes of a file, which may be a pipe.
    package static func contents(of path: String) throws -> [UInt8] {
        do {
            return [UInt8](try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data())
        } catch {
            throw Failure(description: reason(error, at: path))
        }
    }

    /// Writes the entered texts of all cells. Readers see the old file or the new one, never a partial one.
    ///
    /// - Returns: The number of rows written.
    package static func save(_ sheet: Sheet, to path: String) throws -> Int {
        let rows = sheet.sources
        try write(Data(CSVWriter.bytes(of: rows)), to: path)
        return rows.count
    }

    /// Writes a file as a whole.
    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(description: reason(error, at: path))
        }
    }

    /// Returns the reason why a file could not be read or written, and the remedy.
    package static func reason(_ error: any Error, at path: String) -> String {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            return "it is a folder; name a file in it"
        }
        guard let error = error as? CocoaError else { return "\(error)" }
        switch error.code {
        case .fileReadNoSuchFile: return "there is no such file; check the path"
        case .fileNoSuchFile: return "there is no such folder; create it first"
        case .fileReadNoPermission: return "no permission to read it"
        case .fileWriteNoPermission, .fileWriteVolumeReadOnly: return "no permission to write there"
        case .fileWriteOutOfSpace: return "the disk is full"
        default: return "the file cannot be used (error \(error.code.rawValue))"
        }
    }
}

extension Sheet {
    /// The entered texts of the cells, row by row, up to the last cell that is not empty.
    ///
    /// Rows have equal lengths, unless a distant cell would then fill the file with commas.
    package var sources: [[String]] {
        let extent = filledExtent
        let width = extent.rows * extent.columns <= 10_000_000 ? extent.columns : 0
        var rows = Array(repeating: Array(repeating: "", count: width), count: extent.rows)
        for position in cells.keys where extent.contains(position) {
            let source = source(at: position)
            if source.isEmpty { continue }
            let (row, column) = (position.row - 1, position.column - 1)
            let missing = column + 1 - rows[row].count
            if missing > 0 { rows[row] += repeatElement("", count: missing) }
            rows[row][column] = source
        }
        return rows
    }
}
