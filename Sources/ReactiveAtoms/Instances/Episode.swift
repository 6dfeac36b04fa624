// The time between two interventions from outside: a value that was set, or a load.

/// A value of an asynchronous node, or the attempt to load one.
///
/// Immutable but for the predecessor: an episode is the value of an observable, and a roll-back restores the previous
/// episode. The run that loads the value is a part of the loader's content.
final class Episode {
    enum Kind {
        case assigned(Loader.Outcome)
        case loading
        case ended
    }

    let kind: Kind
    let origin: Origin
    /// The last data of the previous episode, if they may still be shown.
    let previous: AnyLoadedValue?
    /// Whether `previous` is shown as current data until there is an outcome or an input changes.
    let keepsData: Bool
    /// The load that an effect uses instead of the default. The default is used if it returns `nil`.
    let load: Loader.Load?
    /// The last run of the previous episode, until this episode has a run.
    var predecessor: Run?

    init(
        _ kind: Kind, origin: Origin, previous: AnyLoadedValue? = nil, keepsData: Bool = false, load: Loader.Load? = nil
    ) {
        self.kind = kind
        self.origin = origin
        self.previous = previous
        self.keepsData = keepsData
        self.load = load
    }
}
