// SPDX-License-Identifier: MIT
// A client of an API on one thread: curl's multi interface moves the bytes, a pacer says when a
// call may begin. A call that the server refuses is made again, after the pause that the server
// asks for and at a rate that goes down. So no call is lost, and after a while the rate goes up
// again.
//
// How fast? A server that lets r calls a second pass and no burst wants 1/r between any two calls,
// as its own clock tells when they arrive. Two calls that left d apart may arrive closer together,
// if the first one took longer. And a clock that goes in steps may tell a step less than it was. So
//
//     interval = 1/r + step of the server's clock + jitter of the way there
//
// and `catch_up::none()`, or two calls might be closer together than the interval.
#pragma once

#include <chrono>
#include <cstdio>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <weir/adapter/http_told.hpp>
#include <weir/pacer/adaptive.hpp>
#include <weir/pacer/pacer.hpp>

class api_client {
    using clock = weir::default_clock;
    struct call {
        int number;
        int tries = 1;
    };
    static constexpr int most_tries = 30;  // then nobody is there, or the limit is another one
    struct sink {
        api_client* whose;
        void emit(call&& c) { whose->begin(c); }
        void drop(call&&, weir::dropped) { ++whose->counted_.lost; }
    };
    using pacer_type = weir::pacer<call, sink, weir::schedule<>, weir::lanes<2>>;

public:
    struct counts {
        int answered = 0;
        int refused = 0;   // 429, and made again
        int failed = 0;    // the connection broke or the server did, and the call was made again
        int lost = 0;      // must stay 0
        int too_soon = 0;  // calls that began before the pacer's interval or a pause let them
    };

    // All of `calls` fit into its lane.
    api_client(std::string url, weir::nanoseconds interval, int calls)
        : url_(std::move(url)),
          interval_(interval),
          pacer_(weir::schedule{weir::quota{1, interval}, weir::catch_up::none()}, sink{this},
                 {.capacity = static_cast<std::size_t>(calls) + 1}) {}
    api_client(const api_client&) = delete;
    api_client& operator=(const api_client&) = delete;
    ~api_client() { curl_multi_cleanup(multi_); }

    void push(int number) {
        if (!calls_.try_push({number})) ++counted_.lost;
        ++open_;
    }
    // Until so many calls are left, of those that were pushed.
    void run(int left = 0) {
        began_ = clock::now();
        sent_ = 0;
        while (open_ > left && counted_.lost == 0) {
            int running = 0;
            curl_multi_perform(multi_, &running);
            finish();
            const auto next = pacer_.poll();
            if (next.what == weir::polled::idle && under_way_ == 0) counted_.lost += open_;
            // Until the next call is due, rounded up, or something arrives.
            weir::nanoseconds wait = weir::seconds(1);
            if (next.what == weir::polled::due) wait = weir::time_between(clock::now(), next.at);
            curl_multi_poll(multi_, nullptr, 0,
                            static_cast<int>((wait.count() + 999'999) / 1'000'000), nullptr);
        }
    }
    [[nodiscard]] counts counted() const { return counted_; }
    [[nodiscard]] double calls_per_second() const {
        return rate_.share() / 1000.0 * 1e9 / static_cast<double>(interval_.count());
    }

private:
    struct transfer {
        call its;
        std::optional<weir::http::told> told;

        // Each line of the headers; a status line begins a response.
        static std::size_t header(char* text, std::size_t, std::size_t size, void* whose) {
            auto& t = *static_cast<transfer*>(whose);
            const std::string_view line(text, size);
            if (line.starts_with("HTTP/")) t.told.emplace(std::chrono::system_clock::now());
            const auto colon = line.find(':');
            if (t.told && colon != line.npos) {
                (void)t.told->read(line.substr(0, colon), line.substr(colon + 1));
            }
            return size;
        }
        static std::size_t body(char*, std::size_t, std::size_t size, void*) { return size; }
    };

    // The pacer says: now.
    void begin(const call& c) {
        const auto now = clock::now();
        const auto earliest = weir::later(began_, weir::nanoseconds(interval_.count() * sent_++));
        if (weir::earlier(now, paused_until_) || weir::earlier(now, earliest)) ++counted_.too_soon;
        ++under_way_;
        CURL* const easy = curl_easy_init();
        auto* const its = new transfer{c, {}};
        curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
        curl_easy_setopt(easy, CURLOPT_PRIVATE, its);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &transfer::header);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, its);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &transfer::body);
        curl_multi_add_handle(multi_, easy);
    }
    void finish() {
        int more = 0;
        while (const CURLMsg* const m = curl_multi_info_read(multi_, &more)) {
            if (m->msg != CURLMSG_DONE) continue;
            CURL* const easy = m->easy_handle;
            transfer* raw = nullptr;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &raw);
            const std::unique_ptr<transfer> its(raw);
            long status = 0;
            if (m->data.result == CURLE_OK)
                curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            curl_multi_remove_handle(multi_, easy);
            curl_easy_cleanup(easy);
            --under_way_;
            answered(*its, status);
        }
    }
    void answered(const transfer& t, long status) {
        const auto now = clock::now();
        if (status >= 200 && status < 500 && status != 429) {
            ++counted_.answered;
            --open_;
            rate_.succeeded(now);
            return;
        }
        // The pacer pauses, and goes on more slowly.
        ++(status == 429 ? counted_.refused : counted_.failed);
        const weir::nanoseconds otherwise = weir::seconds(1);
        const auto pause = status == 429 ? t.told->retry_after(otherwise) : otherwise;
        rate_.throttled(pause, now);
        const auto end = weir::later(now, pause);
        if (weir::earlier(paused_until_, end)) paused_until_ = end;
        if (t.its.tries == most_tries || !again_.try_push({t.its.number, t.its.tries + 1})) {
            ++counted_.lost;
        }
    }

    std::string url_;
    weir::nanoseconds interval_;
    CURLM* multi_ = curl_multi_init();
    counts counted_;
    int open_ = 0;  // pushed and not answered
    int under_way_ = 0;
    std::int64_t sent_ = 0;  // since `began_`
    weir::instant<clock> began_ = clock::now();
    weir::instant<clock> paused_until_ = began_;
    pacer_type pacer_;
    // What was refused goes before what has not been tried.
    pacer_type::producer_type calls_ = pacer_.open();
    pacer_type::producer_type again_ = pacer_.open({.priority = weir::priority::first});
    weir::adaptive<pacer_type> rate_{pacer_, {.increase = 100, .patience = 10}};
};
