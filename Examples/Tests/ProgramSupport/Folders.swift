// Where the examples lie, and what their read-mes show.

import Foundation

/// The folder of the examples, wherever it was built.
package let examplesFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

/// The folder of an application.
package func applicationFolder(_ name: String) -> URL {
    examplesFolder.appendingPathComponent("Applications").appendingPathComponent(name)
}

/// The first block between fences below a heading of an application's read-me.
///
/// - Parameter language: What follows the opening fence.
package func readMe(of application: String, _ heading: String, language: String = "") throws -> String {
    let file = applicationFolder(application).appendingPathComponent("README.md")
    let section = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## \(heading)\n").last ?? ""
    let block = section.components(separatedBy: "\n```\(language)\n").dropFirst().first ?? ""
    return block.components(separatedBy: "\n```")[0]
}
