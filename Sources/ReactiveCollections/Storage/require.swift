/// Stops the program with a message unless a condition holds. (Release builds leave out the message of `precondition`.)
@inlinable @inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
