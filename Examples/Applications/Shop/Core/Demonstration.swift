// The demonstration of the program.

/// The commands of the demonstration, for the sample catalogue.
enum Demonstration {
    static let script = """

        # Commands set atoms, and selectors follow. Changes are printed.
        category Tea
        under 10
        list
        add tea-01 3
        add tea-05

        # Selectors can be set: buy as many pieces as 20.00 pays for, set a budget that leaves 5.00.
        spend cho-01 20
        left 5
        add tea-02

        # Errors are reported. Changes can be undone and redone.
        add tea-02 8
        add tea-07
        frob
        undo
        undo
        redo
        """
}
