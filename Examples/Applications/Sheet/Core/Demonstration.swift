// The demonstration that runs when the program is started without arguments.

/// The commands of the demonstration, for the sample sheet.
enum Demonstration {
    static let script = """

        # A month's budget. Costs are price times count; D6 is their sum, D8 what is left of the income.
        show

        # An edit changes what depends on it, and only that is printed.
        B3 = 95
        why D8

        # Several edits can count as one.
        begin
        B2 = 1100
        C4 = 16
        commit
        why D8

        # What is put back before the end has not changed.
        begin
        B2 = 9000
        B2 = 1100
        commit

        # A mistake is a message.
        C3 = four
        C3 = 4
        B9 = =D8/
        B2 = =D6/2
        B2 = 900
        """
}
