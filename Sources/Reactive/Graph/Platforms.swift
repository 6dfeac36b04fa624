// The supported platforms. The C part has a file for each system (Sources/CReactive/Systems), including some that the
// Swift part does not support yet.

#if !(canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android))
#error("Reactive runs on Linux, Android and Apple's platforms. On Windows and WASI only its C part compiles so far.")
#endif

#if !_pointerBitWidth(_64)
#error("Reactive runs where pointers have 64 bits: nodes keep whole words of values.")
#endif
