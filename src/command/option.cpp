// SPDX-License-Identifier: MIT
#include "command/option.hpp"

#include <utility>

#include <weir/cell/quota_text.hpp>

namespace weir::command {
namespace {

using kind = option::kind;

// How many arguments stand before this one.
std::size_t place_among(std::initializer_list<option> options, const option& argument) {
    std::size_t place = 0;
    for (const option& o : options) {
        if (&o == &argument) break;
        if (o.what == kind::word) ++place;
    }
    return place;
}

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
            if (o.what == kind::word && !o.may_miss && taken_ <= place_of(o)) miss(o);
            if (o.what == kind::command) miss(o);
        }
        return false;
    }

private:
    [[noreturn]] static void miss(const option& o) {
        throw usage_error(std::string(o.name) + " is missing: " + o.needs);
    }
    static void take(const option& o, std::string_view text) {
        if (o.take(text)) return;
        const std::string wrong = text.empty() ? "" : ", and not " + std::string(text);
        throw usage_error(std::string(o.name) + " needs " + o.needs + wrong);
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
            throw usage_error(std::string(o.name) + " needs " + o.needs);
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
        return place_among(options_, argument);
    }

    arguments rest_;
    std::initializer_list<option> options_;
    std::size_t taken_ = 0;  // arguments
    bool only_arguments_ = false;
};

// Goes over the words as `reader` does, with an open mind: they may be wrong.
class proposer {
public:
    proposer(arguments all, std::initializer_list<option> options)
        : before_(all.first(all.size() - 1)), last_(all.back()), options_(options) {}

    [[nodiscard]] candidates find() {
        for (const std::string_view word : before_) {
            pass(word);
            if (ends_) return {candidates::kind::command, begin_of_command_, {}};
            ++passed_;
        }
        if (awaits_ != nullptr) return of_value(*awaits_, 0);
        if (last_.starts_with('-') && !only_arguments_) return of_options();
        const option* const o = argument_here();
        if (o == nullptr) return only_arguments_ ? candidates{} : of_options();
        if (o->what == kind::command) return {candidates::kind::command, passed_, {}};
        candidates found = of_value(*o, 0);
        const bool is_at_a_loss = found.what == candidates::kind::words && !o->offers;
        return is_at_a_loss && !only_arguments_ ? of_options() : found;
    }

private:
    void pass(std::string_view word) {
        if (awaits_ != nullptr) {
            awaits_ = nullptr;
        } else if (word.size() < 2 || word.front() != '-' || only_arguments_) {
            const option* const o = argument_here();
            if (o != nullptr && o->what == kind::word) ++taken_;
            if (o != nullptr && o->what == kind::command) {
                ends_ = true;
                begin_of_command_ = passed_;
            }
        } else if (word == "--") {
            only_arguments_ = true;
        } else if (const option* const o = option_named(word); o != nullptr) {
            if (o->what == kind::value) awaits_ = o;
        }
    }

    // Which of the arguments comes next.
    [[nodiscard]] const option* argument_here() const {
        for (const option& o : options_) {
            if (o.what == kind::word && place_among(options_, o) == taken_) return &o;
            if (o.what == kind::words || o.what == kind::command) return &o;
        }
        return nullptr;
    }
    [[nodiscard]] const option* option_named(std::string_view name) const {
        for (const option& o : options_) {
            if (o.name == name && (o.what == kind::flag || o.what == kind::value)) return &o;
        }
        return nullptr;
    }

    [[nodiscard]] candidates of_options() const {
        const std::size_t sign = last_.find('=');
        if (sign != last_.npos) {
            const option* const o = option_named(last_.substr(0, sign));
            return o == nullptr || o->what != kind::value ? candidates{} : of_value(*o, sign + 1);
        }
        candidates found;
        for (const option& o : options_) {
            if (o.what == kind::flag) add(found, o.name);
            if (o.what == kind::value) add(found, o.name, '\t' + o.needs);
        }
        add(found, "--help");
        return found;
    }

    // The value begins so many characters behind the beginning of the word.
    [[nodiscard]] candidates of_value(const option& o, std::size_t begin) const {
        if (o.is_file) return {candidates::kind::files, begin, {}};
        candidates found;
        if (!o.offers) return found;
        const std::size_t comma = o.is_list ? last_.rfind(',') : last_.npos;
        if (comma != last_.npos && comma >= begin) begin = comma + 1;
        for (const offer& each : o.offers()) {
            if (each.then_a_file && last_.substr(begin).starts_with(each.word))
                return {candidates::kind::files, begin + each.word.size(), {}};
            add(found, std::string(last_.substr(0, begin)) + each.word);
        }
        return found;
    }

    void add(candidates& to, std::string_view word, const std::string& explanation = "") const {
        if (word.starts_with(last_)) to.words.push_back(std::string(word) + explanation);
    }

    arguments before_;
    std::string_view last_;
    std::initializer_list<option> options_;
    const option* awaits_ = nullptr;  // its value is next
    std::size_t passed_ = 0;          // words
    std::size_t taken_ = 0;           // arguments
    std::size_t begin_of_command_ = 0;
    bool only_arguments_ = false;
    bool ends_ = false;
};

// Where `read_options` puts what it was asked for in place of reading; none: it reads.
candidates* asked_for = nullptr;
struct answered {};

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

option value(std::string_view name, std::string needs, std::function<bool(std::string_view)> take) {
    return {kind::value, name, std::move(needs), std::move(take)};
}

option argument(std::string_view name, std::string needs,
                std::function<bool(std::string_view)> take) {
    return {kind::word, name, std::move(needs), std::move(take)};
}

option argument_if_there(std::string_view name, std::string needs,
                         std::function<bool(std::string_view)> take) {
    option o = argument(name, std::move(needs), std::move(take));
    o.may_miss = true;
    return o;
}

option arguments_of(std::string_view name, std::vector<std::string>& all) {
    return {kind::words, name, {}, adds_to(all)};
}

option command_of(std::string_view name, std::string needs, std::vector<std::string>& words) {
    return {kind::command, name, std::move(needs), adds_to(words)};
}

option of_a_file(option o) {
    o.is_file = true;
    return o;
}

option offering(std::function<std::vector<offer>()> words, option o) {
    o.offers = std::move(words);
    return o;
}

option offering_list(std::function<std::vector<offer>()> words, option o) {
    o.is_list = true;
    return offering(std::move(words), std::move(o));
}

bool read_options(arguments all, std::initializer_list<option> options) {
    if (asked_for != nullptr) {
        *asked_for = proposer(all, options).find();
        throw answered();
    }
    return reader(all, options).read();
}

// Each command hands its list to `read_options` before it does anything else; so it is run, and
// comes back from there.
candidates candidates_of(const subcommand& s, arguments words) {
    candidates found;
    asked_for = &found;
    try {
        (void)s.run(words);
    } catch (const answered&) {
    }
    asked_for = nullptr;
    return found;
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

std::optional<std::int64_t> amount_of(std::string_view text) {
    // An amount is what stands in front of the slash of a quota.
    const auto q = parse_quota(std::string(text) + "/s");
    if (!q || text.find_first_of("/,") != text.npos) return {};
    return q->units();
}

bool read_quota(std::string_view name, std::string_view text, std::optional<quota>& to) {
    const auto q = parse_quota(text);
    if (!q && q.error() != quota_error::not_a_quota) {
        throw usage_error(std::string(name) + " " + std::string(text) +
                          " is refused: " + describe(q.error()));
    }
    if (q) to = *q;
    return bool(q);
}

std::string detail::one_of_these(const std::vector<offer>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i].word;
    }
    return text;
}

}  // namespace weir::command
