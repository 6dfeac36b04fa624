// The demonstration that runs when the program is started without arguments.

/// The commands of the demonstration, for the sample outline.
enum Demonstration {
    static let script = """

        # Moving house. The numbers after an item count the items below it: done/all.
        show

        # A change prints only the lines that it changes.
        done 2.1
        rename 3.1 Ask Ann and Bob for help
        add 3: Order pizza

        # So do a transaction and undo. patch on also prints each change as a JSON Patch.
        patch on
        begin
        done 2.3
        move 3.2 before 3.1
        commit
        undo
        redo
        patch off

        # A rollback discards the edits of a transaction. Errors are reported.
        begin
        delete 2
        rollback
        move 2 into 2.2
        done 3.9
        undo
        undo
        """
}
