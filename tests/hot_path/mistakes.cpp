// SPDX-License-Identifier: MIT
// What inspect.cmake must find.
void elsewhere();
[[gnu::cold]] int rarely();

void calls_something(int) {
    elsewhere();
    asm volatile("");
}

void ends_in_a_call(int) { elsewhere(); }

// To one of this file's own the compiler leaves no relocation.
[[gnu::noinline]] static int next_door(int a) {
    asm volatile("");
    return a * 3;
}

int calls_next_door(int a) { return next_door(a) + 1; }

int ends_next_door(int a) { return next_door(a); }

// Nor one that has its name, to one of another section.
template <class T>
T calls_across(T a) {
    return next_door(a) + 1;
}
template int calls_across<int>(int);

void calls_through_a_pointer(void (*pointer)()) {
    pointer();
    asm volatile("");
}

void ends_in_a_pointer(void (*pointer)()) { pointer(); }

unsigned divides(unsigned a, unsigned b) { return a / b; }

unsigned long long divides_64_bits(unsigned long long a, unsigned long long b) { return a / b; }

// In a part of its own, apart from the rest.
int divides_rarely(int a, int b) { return a == b ? rarely() / (a + b) : a; }

unsigned computes_in_floating_point(unsigned a) {
    return static_cast<unsigned>(static_cast<double>(a) * 1.5);
}

unsigned exchanges_nothing(unsigned a) { return a + 1; }

void counts_for_others_too(int& a) { __atomic_fetch_add(&a, 1, __ATOMIC_RELAXED); }

#if defined(__x86_64__) || defined(__aarch64__)
unsigned long long reads_the_counter(int) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    unsigned long long count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
}
#endif
