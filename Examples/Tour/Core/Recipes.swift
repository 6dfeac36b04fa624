// The recipes of the guide's page `Recipes`, in its order.

extension Chapter {
    static let recipes = Chapter("Recipes", formRecipes + listRecipes + loadingRecipes + programRecipes)
}
