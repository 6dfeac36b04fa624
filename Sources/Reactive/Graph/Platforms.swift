// The supported platforms. The C part has a file for each system (Sources/CReactive/Systems), including some that the
// Swift part does not support yet.

#if !(canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android))
#error("Reactive supports Linux, Android and Apple's platforms. On Windows and WASI, only its C target compiles.")
#endif

#if !_pointerBitWidth(_64)
#error("Reactive supports only platforms with 64-bit pointers.")
#endif
