// The demonstration of the program.

/// The commands of the demonstration, for the sample catalogue.
enum Demonstration {
    static let script = """

        # Atoms are set, selectors follow. What has changed is printed.
        category Tea
        under 10
        list
        add tea-01 3
        add tea-05

        # Selectors can be written: as many pieces as 20.00 pays for, a budget of which 5.00 is left.
        spend cho-01 20
        left 5
        add tea-02

        # A mistake is a message. What was changed can be taken back, and made again.
        add tea-02 8
        add tea-07
        frob
        undo
        undo
        redo
        """
}
