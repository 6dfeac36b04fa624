// Lists that are rendered with hooks: one renderer for each row, kept by `map` as long as the row stays.
//
//     ObservableArray ── ids ──▶ LiveArray<ID> ── map ──▶ LiveArray<RenderedRow> ── map ──▶ LiveArray<Output>
//                                                             │                         reads each row's output
//                                                             └──owns──▶ HookRenderer   renders one row
//
// A change that one row has read renders that row, and its output goes through the view as the update of one element.
// A move moves the row's renderer. Neither runs any other body, nor the body around the list.

@_exported public import ReactiveCollections
@_exported public import ReactiveHooks
