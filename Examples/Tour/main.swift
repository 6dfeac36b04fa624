// `swift run --package-path Examples Tour`: shows each function of the library in a few lines, and what they print.

import TourCore

try await Tour.run()
