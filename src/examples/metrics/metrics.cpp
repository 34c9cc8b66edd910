// SPDX-License-Identifier: MIT
// A metrics page for Prometheus, of a server with three limits, a keyed table, a striped limit and
// a pacer. A real server answers GET /metrics with it; this one serves some requests that it makes
// up, and prints the page:
//
//     metrics                 as OpenMetrics has it
//     metrics --prometheus    in Prometheus's older format, for `promtool check metrics`
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <weir/adapter/openmetrics.hpp>
#include <weir/adapter/random_seed.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/statistics.hpp>
#include <weir/table/keyed.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

namespace {

// A limit that counts is told so in its type.
using limit = weir::limiter<weir::gcra<>, weir::default_clock, weir::stats>;

limit api{weir::per_second(100)};
limit uploads{weir::per_minute(6)};
limit shared{weir::per_second(1'000'000).with_burst(20'000)};
weir::striped requests(shared);
weir::skipping impatient(uploads);
weir::keyed_limits<4096, weir::default_clock, weir::keyed_layout{}, weir::stats>
    clients(weir::per_second(10), weir::when_full::forgive_least, weir::random_seed());

struct mail {};
auto mails = weir::make_pacer<mail, weir::lanes<8>, weir::statistics>(
    weir::schedule{weir::per_second(10'000), weir::catch_up::items(10)},
    weir::sink{[](mail&&) {}, [](mail&&, weir::dropped) {}});

void serve() {
    auto outbox = mails.open();
    for (int i = 0; i < 500; ++i) {
        if (!clients["10.0.0." + std::to_string(i % 20)].try_acquire()) continue;
        if (api.try_acquire() && requests.try_acquire()) (void)outbox.try_push(mail{});
        (void)impatient.try_acquire();
    }
    // All mails go before the page is shown.
    mails.drain_for(weir::seconds(10));
    while (mails.poll().what != weir::polled::done)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

int main(int count, char** arguments) {
    serve();
    std::vector<std::thread> threads;
    threads.reserve(2);
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([] {
            for (int k = 0; k < 1'000; ++k) (void)api.try_acquire(2);
        });
    }
    for (std::thread& t : threads) t.join();

    // The page. How many limits there are may be known at run time only: then these are vectors.
    const weir::limit_metrics limits[] = {
        {"api", api},
        {weir::metric_labels("uploads").with("zone", "eu"), uploads},
        {"requests", shared},
        {"clients", clients},
    };
    const weir::table_metrics tables[] = {{"clients", clients}};
    const weir::stripes_metrics stripes[] = {{"requests", requests}};
    const weir::skipping_metrics skipping[] = {{"uploads", impatient}};
    const weir::pacer_metrics pacers[] = {{"mails", mails}};
    const weir::metrics all{.limits = limits,
                            .tables = tables,
                            .stripes = stripes,
                            .skipping = skipping,
                            .pacers = pacers};

    static char page[16'384];
    const bool is_old = count > 1 && std::strcmp(arguments[1], "--prometheus") == 0;
    const auto text =
        is_old ? weir::write_prometheus(all, page) : weir::write_openmetrics(all, page);
    if (!text) {
        std::fprintf(stderr, "no metrics: %s\n", describe(text.error()));
        return 1;
    }
    std::fwrite(text->data(), 1, text->size(), stdout);
    return 0;
}
