// Whether the tests run under a sanitizer.

import Foundation

/// Whether the thread sanitizer is active: then sizes that would exhaust a stack are reduced, because it is slow.
package let isUnderThreadSanitizer = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil

/// Whether a sanitizer is active: then the longest chains are shortened, because each takes many times as long.
package let isUnderSanitizer = isUnderThreadSanitizer || isUnderAddressSanitizer

/// Whether the address sanitizer is active: then local variables need not be on the stack.
package let isUnderAddressSanitizer = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__asan_init") != nil
