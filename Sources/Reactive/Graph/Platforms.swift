// Where the library runs. The C part has a file for each system (Sources/CReactive/Systems), and some that the Swift
// part has not reached.

#if !(canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android))
#error("Reactive runs on Linux, Android and Apple's platforms. On Windows and WASI only its C part compiles so far.")
#endif

#if !_pointerBitWidth(_64)
#error("Reactive runs where pointers have 64 bits: nodes keep whole words of values.")
#endif
