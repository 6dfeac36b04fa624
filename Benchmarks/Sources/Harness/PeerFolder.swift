// Peers on other runtimes: a folder of programs that measure themselves and print the results.
//
// Each program prints a line for each row that it has, with the row's name and unit as in the table:
//
//     {"row": "broadPropagation", "min": 101.5, "median": 103.2, "unit": "ms"}

import Foundation

extension Side {
    /// Runs the executables in a folder in the order of their names. Each becomes a side with the name of its file.
    ///
    /// - Parameter rows: All rows. A line with an unknown row or a different unit is an error.
    package static func peers(in folder: URL, rows: [Row]) throws -> [Side] {
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        } catch {
            throw HarnessError("The folder of peers cannot be read: \(folder.path).")
        }
        let programs = files.sorted { $0.lastPathComponent < $1.lastPathComponent }.filter { file in
            (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
                && FileManager.default.isExecutableFile(atPath: file.path)
        }
        guard !programs.isEmpty else {
            throw HarnessError("There is no executable in the folder of peers, \(folder.path).")
        }
        return try programs.map { program in
            let name = program.deletingPathExtension().lastPathComponent
            let numbers = try summaries(printed: try output(of: program), by: program.lastPathComponent, rows: rows)
            return Side(name: name) { row in
                numbers[row.name].map { .measured($0) } ?? .leftOut(because: "\(name) does not report it.")
            }
        }
    }

    /// Parses the output of a peer.
    static func summaries(printed text: String, by peer: String, rows: [Row]) throws -> [String: Summary] {
        struct Line: Decodable {
            let row: String
            let min: Double
            let median: Double
            let unit: String
        }
        var summaries: [String: Summary] = [:]
        for (index, text) in text.split(separator: "\n").enumerated() {
            let place = "\(peer), line \(index + 1)"
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)) else {
                throw HarnessError(
                    "\(place): \(text)\nis not of the form "
                        + #"{"row": "broadPropagation", "min": 101.5, "median": 103.2, "unit": "ms"}."#)
            }
            guard let row = rows.first(where: { $0.name == line.row }) else {
                throw HarnessError("\(place): no row is named \"\(line.row)\"; --list names them.")
            }
            guard row.unit.rawValue == line.unit else {
                throw HarnessError("\(place): the unit of \"\(row.name)\" is \(row.unit.rawValue), not \(line.unit).")
            }
            guard line.min > 0, line.median >= line.min else {
                throw HarnessError("\(place): min must be more than 0, and median at least min.")
            }
            summaries[row.name] = Summary(minimum: line.min, median: line.median)
        }
        return summaries
    }
}

/// Returns the output of a program. Throws if the program fails.
func output(of program: URL, _ arguments: [String] = []) throws -> String {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch { throw HarnessError("\(program.path) cannot be run: \(error).") }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw HarnessError("\(program.path) failed with status \(process.terminationStatus).")
    }
    return String(decoding: data, as: UTF8.self)
}
