// SPDX-License-Identifier: MIT
// Calls to a real nginx that lets 50 calls a second pass and no burst (limit_req), and answers 429
// to all others: as fast as can be, paced, and paced while the server's limit changes.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <curl/curl.h>
#include <string>
#include <thread>

#include "client.hpp"
#include "nginx.hpp"

namespace {

constexpr int allowed = 50;  // calls a second

// nginx's limit_req counts whole milliseconds: 20 of them have to lie between two calls. It reads
// its clock when it wakes, so a call that comes while it is awake may get a time of a millisecond
// ago.
constexpr weir::nanoseconds step_of_its_clock = weir::milliseconds(1);
// How much longer may one call be on its way than another? On one machine little, but for times at
// which the system lets the client or nginx wait. A stall that is longer costs a refusal.
constexpr weir::nanoseconds jitter = weir::milliseconds(4);

// One after the other, without a pacer. How many are refused?
int refused_without(const std::string& url, int calls) {
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(
        easy, CURLOPT_WRITEFUNCTION,
        +[](char*, std::size_t, std::size_t size, void*) { return size; });
    int refused = 0;
    for (int i = 0; i < calls; ++i) {
        long status = 0;
        if (curl_easy_perform(easy) == CURLE_OK)
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (status == 429) ++refused;
    }
    curl_easy_cleanup(easy);
    std::this_thread::sleep_for(std::chrono::seconds(1));  // its last call may just have passed
    return refused;
}

bool well(const api_client::counts& c, int calls) {
    return c.answered == calls && c.lost == 0 && c.too_soon == 0;
}

}  // namespace

int main(int count, char** words) {
    const int calls = count > 1 ? std::atoi(words[1]) : 500;
    if (calls < 1 || calls > 100'000 || count > 2) {
        std::fprintf(stderr, "usage: api_client [calls]\n");
        return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    const nginx server(allowed);

    const int refused = refused_without(server.url(), calls);
    std::printf("without a pacer: %d of %d calls refused\n", refused, calls);

    const weir::nanoseconds interval =
        weir::nanoseconds(1'000'000'000 / allowed) + step_of_its_clock + jitter;
    bool all_well = true;
    {
        api_client client(server.url(), interval, calls);
        for (int i = 0; i < calls; ++i) client.push(i);
        client.run();
        const auto c = client.counted();
        std::printf("paced, %.1f calls a second: %d of %d calls refused, %d answered\n",
                    client.calls_per_second(), c.refused, calls, c.answered);
        all_well = well(c, calls);
    }
    {
        api_client client(server.url(), interval, calls);
        for (int i = 0; i < calls; ++i) client.push(i);
        const auto tell = [&](const char* when) {
            const auto c = client.counted();
            std::printf("  %s a second: %d answered, %d refused and made again; it now makes %.1f "
                        "a second\n",
                        when, c.answered, c.refused, client.calls_per_second());
        };
        std::printf("while the server's limit changes:\n");
        client.run(calls * 4 / 5);
        tell("50");
        server.set_limit(15);
        client.run(calls * 3 / 5);
        tell("15");
        server.set_limit(allowed);
        client.run();
        tell("50");
        all_well = well(client.counted(), calls) && all_well;
    }
    curl_global_cleanup();
    if (!all_well) std::printf("a call was lost, or began too soon\n");
    return all_well ? 0 : 1;
}
