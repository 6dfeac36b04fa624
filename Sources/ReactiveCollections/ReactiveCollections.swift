// Observable arrays, dictionaries and sets that know which element changed, and views that follow their changes. A
// file that imports this module alone sees all of `Reactive` too.
//
// Words: an element has a *row*, a number that it keeps while it moves, and a *position*, its index. A *group row* is a
// row in the numbering of one group. A *link* is a row's neighbours in a list. To *place* a row is to insert it at the
// position that an order gives it. A *path* is a key path, or the path from the root of a tree to a leaf.
@_exported public import Reactive
