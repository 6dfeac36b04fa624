// Support for the tests of the shop.

import Foundation

/// A catalogue with products of all kinds.
let small = #"""
    code,name,category,price,stock
    A,"Apple, red",Fruit,0.50,20
    B,"Banana ""Cavendish""",Fruit,0.25,3
    C,Crème,Dairy,1.99,0

    """#

/// The text of a file.
func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
