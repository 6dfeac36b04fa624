// Lists that are rendered with hooks: one renderer for each row, kept by `map` as long as the row stays.
//
//     ObservableArray ── ids ──▶ LiveArray<ID> ── map ──▶ LiveArray<RenderedRow> ── map ──▶ LiveArray<Output>
//                                                             │                         reads each row's output
//                                                             └──owns──▶ HookRenderer   renders one row
//
// When an observable that one row has read changes, only that row renders, and the view updates one element. When a row
// moves, its renderer moves with it. Neither runs the body of any other row, nor the body around the list.

@_exported public import ReactiveCollections
@_exported public import ReactiveHooks
