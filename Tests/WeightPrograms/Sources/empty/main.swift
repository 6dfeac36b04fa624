// Nothing of the library: what the others are compared with.

print("hello")
