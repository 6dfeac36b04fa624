// A program without the library, with which the others are compared.

print("hello")
