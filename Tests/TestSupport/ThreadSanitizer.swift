// Whether the thread sanitizer watches.

import Foundation

/// Whether the thread sanitizer watches this process: then sizes that are there to exhaust a stack are cut, as it is slow.
package let isUnderThreadSanitizer = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil
