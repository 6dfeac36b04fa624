// The demonstration that runs when the program is started without arguments.

/// The commands of the demonstration, for the sample sheet.
enum Demonstration {
    static let script = """

        # A month's budget. A cost is price times count; D6 is the sum of the costs, D8 the income minus D6.
        show

        # An edit recomputes the cells that depend on it. Only cells that change are printed.
        B3 = 95
        why D8

        # A transaction combines several edits into one change.
        begin
        B2 = 1100
        C4 = 16
        commit
        why D8

        # A cell whose old value is restored before commit has not changed.
        begin
        B2 = 9000
        B2 = 1100
        commit

        # Errors are reported.
        C3 = four
        C3 = 4
        B9 = =D8/
        B2 = =D6/2
        B2 = 900
        """
}
