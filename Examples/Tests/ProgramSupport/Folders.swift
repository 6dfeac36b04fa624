// The folders of the examples, and the transcripts in their read-mes.

import Foundation

/// The folder of the examples, independent of the build folder.
package let examplesFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

/// The folder of an application.
package func applicationFolder(_ name: String) -> URL {
    examplesFolder.appendingPathComponent("Applications").appendingPathComponent(name)
}

/// Returns the first block between fences below a heading of an application's read-me.
///
/// - Parameter language: The text after the opening fence.
package func readMe(of application: String, _ heading: String, language: String = "") throws -> String {
    let file = applicationFolder(application).appendingPathComponent("README.md")
    let section = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## \(heading)\n").last ?? ""
    let block = section.components(separatedBy: "\n```\(language)\n").dropFirst().first ?? ""
    return block.components(separatedBy: "\n```")[0]
}
