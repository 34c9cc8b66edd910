// SPDX-License-Identifier: MIT
#include "command/option.hpp"

#include <utility>

#include <weir/cell/quota_text.hpp>

namespace weir::command {
namespace {

using kind = option::kind;

class reader {
public:
    reader(arguments all, std::initializer_list<option> options) : rest_(all), options_(options) {}

    bool read() {
        for (; !rest_.empty(); rest_ = rest_.subspan(1)) {
            const std::string_view word = rest_.front();
            const bool is_option = word.size() > 1 && word.front() == '-' && !only_arguments_;
            if (!is_option) {
                if (take_argument(word)) return false;
            } else if (asks_for_help(word)) {
                return true;
            } else if (word == "--") {
                only_arguments_ = true;
            } else {
                take_option(word);
            }
        }
        for (const option& o : options_) {
            if (o.what == kind::word && !o.needs.empty() && taken_ <= place_of(o)) miss(o);
            if (o.what == kind::command) miss(o);
        }
        return false;
    }

private:
    [[noreturn]] static void miss(const option& o) {
        throw usage_error(std::string(o.name) + " is missing: " + std::string(o.needs));
    }
    static void take(const option& o, std::string_view text) {
        if (o.take(text)) return;
        const std::string wrong = text.empty() ? "" : ", and not " + std::string(text);
        throw usage_error(std::string(o.name) + " needs " + std::string(o.needs) + wrong);
    }

    void take_option(std::string_view word) {
        const std::size_t sign = word.find('=');
        const std::string_view name = word.substr(0, sign);
        for (const option& o : options_) {
            if (o.name != name) continue;
            if (o.what == kind::value) {
                take(o, sign == word.npos ? next_word(o) : word.substr(sign + 1));
                return;
            }
            if (sign != word.npos)
                throw usage_error(std::string(name) + " takes no value: " + std::string(word));
            (void)o.take({});
            return;
        }
        throw usage_error("unknown option " + std::string(word));
    }

    std::string_view next_word(const option& o) {
        if (rest_.size() < 2 || rest_[1].starts_with("--")) {
            throw usage_error(std::string(o.name) + " needs " + std::string(o.needs));
        }
        rest_ = rest_.subspan(1);
        return rest_.front();
    }

    // True if the rest of the line is read with it.
    bool take_argument(std::string_view word) {
        for (const option& o : options_) {
            if (o.what == kind::word && place_of(o) == taken_) {
                ++taken_;
                take(o, word);
                return false;
            }
            if (o.what == kind::words) return !o.take(word);
            if (o.what == kind::command) {
                for (const std::string_view each : rest_) (void)o.take(each);
                return true;
            }
        }
        throw usage_error("unexpected argument " + std::string(word));
    }

    [[nodiscard]] std::size_t place_of(const option& argument) const {
        std::size_t place = 0;
        for (const option& o : options_) {
            if (&o == &argument) break;
            if (o.what == kind::word) ++place;
        }
        return place;
    }

    arguments rest_;
    std::initializer_list<option> options_;
    std::size_t taken_ = 0;  // arguments
    bool only_arguments_ = false;
};

auto adds_to(std::vector<std::string>& words) {
    return [&words](std::string_view word) {
        words.emplace_back(word);
        return true;
    };
}

}  // namespace

option flag(std::string_view name, bool& given) {
    return {kind::flag, name, {}, [&given](std::string_view) { return given = true; }};
}

option value(std::string_view name, std::string_view needs,
             std::function<bool(std::string_view)> take) {
    return {kind::value, name, needs, std::move(take)};
}

option argument(std::string_view name, std::string_view needs,
                std::function<bool(std::string_view)> take) {
    return {kind::word, name, needs, std::move(take)};
}

option arguments_of(std::string_view name, std::vector<std::string>& all) {
    return {kind::words, name, {}, adds_to(all)};
}

option command_of(std::string_view name, std::string_view needs, std::vector<std::string>& words) {
    return {kind::command, name, needs, adds_to(words)};
}

bool read_options(arguments all, std::initializer_list<option> options) {
    return reader(all, options).read();
}

std::optional<nanoseconds> time_of(std::string_view text) {
    if (text == "0") return nanoseconds{};
    const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
    if (!is_number || text.find(',') != text.npos) return {};
    // A time is what stands behind the slash of a quota.
    const auto q = parse_quota("1/" + std::string(text));
    if (q) return q->period();
    if (q.error() == quota_error::period_not_positive) return nanoseconds{};  // 0s
    return {};
}

}  // namespace weir::command
