// What inspect.cmake must find.
void elsewhere();

void calls_something(int) {
    elsewhere();
    asm volatile("");
}

void calls_through_a_pointer(void (*pointer)()) {
    pointer();
    asm volatile("");
}

unsigned divides(unsigned a, unsigned b) { return a / b; }

unsigned computes_in_floating_point(unsigned a) {
    return static_cast<unsigned>(static_cast<double>(a) * 1.5);
}
