// The demonstration that runs when the program is started without arguments.

/// The commands of the demonstration, for the sample outline.
enum Demonstration {
    static let script = """

        # Moving house. Behind each item: how much is done of what lies below it.
        show

        # A change prints the lines that are different now, and no others.
        done 2.1
        rename 3.1 Ask Ann and Bob for help
        add 3: Order pizza

        # So does a whole transaction, and undoing it. As a JSON Patch it looks like this.
        patch on
        begin
        done 2.3
        move 3.2 before 3.1
        commit
        undo
        redo
        patch off

        # What is rolled back has not happened; a mistake is a message.
        begin
        delete 2
        rollback
        move 2 into 2.2
        done 3.9
        undo
        undo
        """
}
