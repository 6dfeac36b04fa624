// Whether the tests run under the thread sanitizer.

import Foundation

/// Whether the thread sanitizer is active: then sizes that would exhaust a stack are reduced, because it is slow.
package let isUnderThreadSanitizer = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil
