/// Stops the program with a message unless a condition holds. (In release builds, `precondition` prints no message.)
@inlinable @inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
