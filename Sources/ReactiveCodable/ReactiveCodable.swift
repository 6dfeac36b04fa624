// Observing, recording, replaying and saving object graphs, through `Codable` alone.

@_exported import ReactiveJSON
