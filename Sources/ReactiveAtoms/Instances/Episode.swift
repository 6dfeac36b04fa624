// What lies between two interventions from outside: a value that was set, or a load.

/// A value of an asynchronous node, or the attempt to load one.
///
/// Everything but the runs is immutable: an episode is the value of an observable, and a roll-back restores the old one.
final class Episode {
    enum Kind {
        case assigned(Loader.Outcome)
        case loading
        case ended
    }

    let kind: Kind
    let origin: Origin
    /// The last data of the episode before, if they are still worth showing.
    let previous: AnyLoadedValue?
    /// Whether it began because somebody wanted the same once more.
    let isReload: Bool
    /// Whether `previous` is shown as present data until there is an outcome or an input changes.
    let keepsData: Bool
    /// What an effect wants to be loaded in the default's place, unless it returns `nil`.
    let load: Loader.Load?
    /// The run that counts. Only of an episode that is loading.
    var run: Run?
    /// The last run of the episode before, until there is one of this.
    var predecessor: Run?

    init(
        _ kind: Kind, origin: Origin, previous: AnyLoadedValue? = nil, isReload: Bool = false, keepsData: Bool = false,
        load: Loader.Load? = nil
    ) {
        self.kind = kind
        self.origin = origin
        self.previous = previous
        self.isReload = isReload
        self.keepsData = keepsData
        self.load = load
    }
}
