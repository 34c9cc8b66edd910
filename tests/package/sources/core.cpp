#include <weir/weir.hpp>

int main() {
    weir::limiter api{weir::per_second(100)};
    return api.try_acquire() ? 0 : 1;
}
