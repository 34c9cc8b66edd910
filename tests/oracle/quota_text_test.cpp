// SPDX-License-Identifier: MIT
// Quotas out of text, against a reader of another kind.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "dice.hpp"
#include "effort.hpp"
#include "quota_text_model.hpp"

namespace {

using weir::parse_quota;

weir::result<weir::quota, weir::quota_error> as_it_is(const std::string& text) {
    return parse_quota(text);
}

// Of so many texts the first on which they do not agree.
template <class Parse>
std::optional<std::string> disagreement(Parse parse, std::uint64_t texts,
                                        std::uint64_t* quotas = nullptr) {
    for (std::uint64_t i = 0; i < texts; ++i) {
        oracle::dice d(oracle::only_seed().value_or((oracle::series() << 32U) + i));
        const std::string text = oracle::quota_writer(d).text();
        if (auto story = oracle::disagreement_on(text, parse)) return story;
        if (quotas != nullptr && parse(text)) ++*quotas;
    }
    return {};
}

TEST(quota_text, is_read_as_on_paper) {
    const std::uint64_t texts = oracle::scaled(200'000);
    std::uint64_t quotas = 0;
    const auto story = disagreement(as_it_is, texts, &quotas);
    EXPECT_FALSE(story) << *story;
    // Neither refused nor accepted as a rule, or little would be compared.
    EXPECT_GT(quotas, texts / 10);
    EXPECT_LT(quotas, texts / 2);
}

TEST(quota_text, is_read_as_on_paper_at_the_edges_of_numbers) {
    for (const char* text : {
             "9223372036854775807/s",
             "9223372036854775808/s",
             "1844674407370955161/s",
             "18446744073709551619/s",
             "9223372036.854775807G/s",
             "9223372036.854775808G/s",
             "8589934591.999999999Gi/s",
             "8589934591.999999999068677425384521484375Gi/s",
             "8796093022207.9990234375Mi/s",
             "8796093022208Mi/s",
             "1.0000009536743164062Mi/s",
             "1.00000095367431640625Mi/s",
             "1.0001220703125Ki/s",
             "8589934592Gi/s",
             "0.0009765625Ki/s",
             "0.00048828125Ki/s",
             "1/9223372036854775806ns",
             "1/9223372036854775807ns",
             "1/9223372036.854775806s",
             "1/106751.99116730064591d",
             "1/106751.9911673006445d",
             "1/106751d",
             "1/106752d",
             "1/0.00000000001d",
             "1/0.0000000000115740740740740740740740d",
             "0.000000001G/s",
             "0.0000000001G/s",
             "1.0000000000000000000000000000000000/s",
             "1.0000000000000000000000000000000001k/s",
             "1/0.0000000000000000000d",
         }) {
        const auto story = oracle::disagreement_on(text, as_it_is);
        EXPECT_FALSE(story) << *story;
    }
}

// Readers with a mistake in them: each must show.
TEST(quota_text, shows_a_mistake) {
    const auto overlooks_the_rest = [](const std::string& text) {
        return parse_quota(text.substr(0, std::min(text.size(), text.find_last_of("snhd") + 1)));
    };
    const auto rounds = [](const std::string& text) {
        const auto q = parse_quota(text);
        if (q || q.error() != weir::quota_error::units_not_whole) return q;
        const std::size_t point = text.find('.');
        std::string cut = text;
        cut.erase(point, cut.find_first_not_of("0123456789", point + 1) - point);
        return parse_quota(cut);
    };
    const auto clamps = [](const std::string& text) {
        const auto q = parse_quota(text);
        if (q.error() != weir::quota_error::units_too_many) return q;
        return weir::result<weir::quota, weir::quota_error>(
            weir::quota(INT64_MAX, weir::seconds(1)));
    };
    const auto knows_a_second = [](const std::string& text) {
        const std::size_t sec = text.find("sec");
        return parse_quota(sec == text.npos ? text : std::string(text).erase(sec + 1, 2));
    };
    EXPECT_TRUE(disagreement(overlooks_the_rest, 1'000));
    EXPECT_TRUE(disagreement(rounds, 1'000));
    EXPECT_TRUE(disagreement(clamps, 1'000));
    EXPECT_TRUE(disagreement(knows_a_second, 1'000));
}

}  // namespace
