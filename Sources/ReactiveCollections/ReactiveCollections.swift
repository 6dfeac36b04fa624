// Observable arrays, dictionaries and sets that know which element changed, and views that follow their changes. A
// file that imports this module alone sees all of `Reactive` too.
@_exported public import Reactive
