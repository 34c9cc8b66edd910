// SPDX-License-Identifier: MIT
#include <stdio.h>

#include <weir/weir.h>

int main(void) {
    weir_limit* api = NULL;
    const weir_status s = weir_limit_new(weir_per_second(100), NULL, &api);
    puts(weir_text(s));
    const bool admitted = weir_try_acquire(api, 1, NULL);
    weir_limit_free(api);
    return admitted ? 0 : 1;
}
