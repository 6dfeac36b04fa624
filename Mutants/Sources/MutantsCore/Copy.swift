// A copy of the checkout, whose sources have their mutants built in.

import Foundation

/// The copy, and the mutants in it.
struct Copy {
    let root: URL
    let folder: URL
    /// The module whose tests are built, with what it needs; all modules if empty.
    private let testModule: String
    /// Descriptions of mutants that do not compile.
    private(set) var unbuildable: Set<String> = []
    private(set) var mutants: [Mutant] = []

    /// - Parameter tests: The beginning of names of tests, which has a full stop if it contains the name of a module.
    init(of root: URL, in scratch: URL, tests: String) {
        self.root = root
        testModule = tests.contains(".") ? String(tests.prefix { $0 != "." }) : ""
        folder = scratch.appendingPathComponent("copy")
        list = scratch.appendingPathComponent("unbuildable.txt")
        let known = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
        unbuildable = Set(known.split(separator: "\n").map(String.init))
    }

    /// The file that keeps `unbuildable`.
    private let list: URL

    // MARK: - Finding

    /// The mutants of the files for which `includes` returns `true`, in the order of files and lines.
    static func mutants(in files: [(name: String, text: String)]) -> [Mutant] {
        files.flatMap { mutation(of: $0.text, file: $0.name, firstNumber: 0) { _ in true }.mutants }
    }

    private static func mutation(
        of text: String, file: String, firstNumber: Int, includes: @escaping (Mutant) -> Bool
    ) -> Mutation {
        file.hasSuffix(".swift")
            ? Mutation(ofSwift: text, file: file, firstNumber: firstNumber, includes: includes)
            : Mutation(ofC: text, file: file, firstNumber: firstNumber, includes: includes)
    }

    // MARK: - Writing

    /// Writes all files, with the mutants that are chosen and compile as far as is known.
    mutating func write(_ files: [String], choosing chosen: Set<String>) throws {
        mutants = []
        for file in files {
            let original = root.appendingPathComponent(file)
            let copy = folder.appendingPathComponent(file)
            guard file.hasPrefix("Sources/"), ["swift", "c", "h"].contains(copy.pathExtension) else {
                try put(Data(contentsOf: original), at: copy)
                // Scripts stay executable.
                let attributes = try FileManager.default.attributesOfItem(atPath: original.path)
                try FileManager.default.setAttributes(
                    attributes.filter { $0.key == .posixPermissions }, ofItemAtPath: copy.path)
                continue
            }
            let text = try String(contentsOf: original, encoding: .utf8)
            let mutation = Self.mutation(of: text, file: file, firstNumber: mutants.count + 1) { [unbuildable] in
                chosen.contains($0.description) && !unbuildable.contains($0.description)
            }
            mutants += mutation.mutants
            try put(Data(withSwitch(mutation, original: text, file: file).utf8), at: copy)
        }
        for (name, text) in [("include/Mutants.h", Self.header), ("Mutants.c", Self.code)] {
            try put(Data(text.utf8), at: folder.appendingPathComponent("Sources/CReactive/\(name)"))
        }
    }

    /// Without a change of lines.
    private func withSwitch(_ mutation: Mutation, original: String, file: String) -> String {
        if file.hasSuffix("/CReactive.h") {
            // The header of mutants includes it.
            return mutation.text.replacingOccurrences(of: "#include <stdbool.h>", with: "#include \"Mutants.h\"")
        }
        guard file.hasSuffix(".swift"), !mutation.mutants.isEmpty, !original.contains("import CReactive") else {
            return mutation.text
        }
        return "import CReactive; " + mutation.text
    }

    /// Leaves a file alone that is the same, so that it is not compiled again.
    private func put(_ data: Data, at url: URL) throws {
        if (try? Data(contentsOf: url)) == data { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    /// The test for the active mutant, which also notes that its place was reached.
    private static let header = """
        #ifndef MUTANTS_H
        #define MUTANTS_H
        #include <stdbool.h>
        extern int reactive_active_mutant;
        extern unsigned char *reactive_reached_mutants;
        static inline __attribute__((always_inline, unused)) bool reactive_mutant(int number) {
            reactive_reached_mutants[number] = 1;
            return reactive_active_mutant == number;
        }
        #endif

        """

    /// The active mutant comes from the environment. What a program has reached is in a mapped file with a byte for each
    /// mutant, so that it survives a program that stops for misuse, as those of exit tests do.
    private static let code = """
        #include "include/Mutants.h"
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <unistd.h>
        enum { most = 1 << 16 };
        int reactive_active_mutant = 0;
        static unsigned char reached[most];
        unsigned char *reactive_reached_mutants = reached;
        // Ahead of the constructors of the library, which have mutants, too.
        __attribute__((constructor(100))) static void begin(void) {
            const char *number = getenv("REACTIVE_MUTANT");
            if (number) reactive_active_mutant = atoi(number);
            const char *folder = getenv("REACTIVE_REACHED_MUTANTS");
            char name[1024];
            if (!folder) return;
            snprintf(name, sizeof name, "%s/%d", folder, (int)getpid());
            int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
            if (file < 0 || ftruncate(file, most) != 0) return;
            void *mapped = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (mapped != MAP_FAILED) reactive_reached_mutants = mapped;
            close(file);
        }

        """

    // MARK: - Building

    struct BuildError: Error, CustomStringConvertible {
        let description: String
    }

    /// Builds the copy with its tests, without the mutants that do not compile.
    mutating func build(_ files: [String], choosing chosen: Set<String>, log: (String) -> Void) throws {
        while true {
            try write(files, choosing: chosen)
            log("building \(mutants.count) mutants")
            var places: Set<String> = []
            var errors: Set<String> = []
            let end = try Command(
                arguments: ["swift", "build", "--build-tests", "-Xswiftc", "-suppress-warnings"], folder: folder,
                environment: ["REACTIVE_TESTS": testModule]
            ).run { line in
                guard line.contains("error:"), let place = place(in: line) else { return false }
                errors.insert(String(line))
                places.insert(place)
                return false
            }
            if end == .exited(0) { return }
            let refused = refused(near: places)
            guard !refused.isEmpty else {
                throw BuildError(
                    description: "The copy does not compile:\n" + errors.sorted().prefix(20).joined(separator: "\n"))
            }
            log("\(refused.count) mutants do not compile")
            unbuildable.formUnion(refused)
            try unbuildable.sorted().joined(separator: "\n").write(to: list, atomically: true, encoding: .utf8)
        }
    }

    /// The mutants in the lines of the compiler's messages, or next to them: a mutant can make a line nearby wrong, such
    /// as a different branch of an expression.
    private func refused(near places: Set<String>) -> [String] {
        for distance in [0, 1, 2, 4, 8] {
            let refused = mutants.filter { mutant in
                (-distance...distance).contains { places.contains("\(mutant.file):\(mutant.line + $0)") }
            }
            if !refused.isEmpty { return refused.map(\.description) }
        }
        return []
    }

    /// The file and line of a message of the compiler.
    private func place(in message: Substring) -> String? {
        guard let start = message.range(of: folder.path + "/") else { return nil }
        let parts = message[start.upperBound...].split(separator: ":", maxSplits: 2)
        return parts.count < 3 ? nil : "\(parts[0]):\(parts[1])"
    }
}
