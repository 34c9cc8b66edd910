// What inspect.cmake must find.
void elsewhere();

void calls_something(int) {
    elsewhere();
    asm volatile("");
}

void ends_in_a_call(int) { elsewhere(); }

void calls_through_a_pointer(void (*pointer)()) {
    pointer();
    asm volatile("");
}

void ends_in_a_pointer(void (*pointer)()) { pointer(); }

unsigned divides(unsigned a, unsigned b) { return a / b; }

unsigned long long divides_64_bits(unsigned long long a, unsigned long long b) { return a / b; }

unsigned computes_in_floating_point(unsigned a) {
    return static_cast<unsigned>(static_cast<double>(a) * 1.5);
}

unsigned exchanges_nothing(unsigned a) { return a + 1; }
