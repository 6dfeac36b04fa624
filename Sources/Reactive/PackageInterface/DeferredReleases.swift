// Values that must not be destroyed while a graph is locked, for the package's other modules.

/// Values that are released once this thread has unlocked its graph: a deinitialiser is user code.
@usableFromInline
package enum DeferredReleases {
    /// Takes over a value.
    @inlinable @inline(__always)
    package static func add<Value>(_ value: consuming Value) {
        if !_isPOD(Value.self) { FreeingMark.postpone(value) }
    }
}
