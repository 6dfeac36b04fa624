// Observable arrays, dictionaries and sets that know which element changed, and views that follow their changes. A
// file that imports this module alone sees all of `Reactive` too.
#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import Reactive
#else
@_exported public import Reactive
#endif
