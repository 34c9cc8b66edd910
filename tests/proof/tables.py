"""What is claimed of each rule, and how each claim is held: the tables of claims.md.

A claim's name is in a list of its header, so no table is kept by hand. What a rule has no claim for
has a reason here; a cell without either is refused.
"""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent

PROVED, EXHAUSTIVE, SAMPLED = "proved", "exhaustive", "sampled"

# The solver gives up on these; they are tried in words of 8 bits only.
UNDECIDED = {"gcra_64/no_more_passes_than_was_told", "gcra_32/no_more_passes_than_was_told",
             "gcra_64/the_next_unit_comes_at_the_reset", "gcra_64/it_is_obeyed_as_long_as_is_said"}

# {column: (how, the lists of its claims)}
COLUMNS = {
    "gcra_64": (PROVED, "BACKLOG", "REFUNDS", "RATES"),
    "gcra_32": (PROVED, "BACKLOG", "RATES"),
    "gcra_8": (EXHAUSTIVE, "BACKLOG"),
    "token_bucket_8": (EXHAUSTIVE, "DECISIONS", "RELICS", "RESERVATIONS"),
    "fixed_window_8": (EXHAUSTIVE, "DECISIONS", "RELICS"),
    "aligned_window_8": (EXHAUSTIVE, "DECISIONS", "RELICS"),
    "sliding_window_8": (EXHAUSTIVE, "DECISIONS", "RELICS"),
    "schedule_64": (PROVED, "SCHEDULE"),
    "schedule_32": (PROVED, "SCHEDULE"),
    "schedule_8": (EXHAUSTIVE, "SCHEDULE", "SCHEDULE_RATES"),
    "log_64": (PROVED, "LOG"),
    "log_32": (PROVED, "LOG"),
    "fine_time_64": (PROVED, "FINE_TIME"),
    "fine_time_32": (PROVED, "FINE_TIME"),
    "wide": (PROVED, "WIDE"),
    "pace": (PROVED, "PACE"),
    "pace_changes": (EXHAUSTIVE, "PACE_CHANGES"),
    "turns": (EXHAUSTIVE, "TURNS"),
    "scale_64": (PROVED, "SCALE"),
    "scale_32": (PROVED, "SCALE"),
}
# What is claimed of every rule that admits: by which claims, whatever they are called there.
ROWS = {
    "a refusal changes nothing": (
        "a_refusal_changes_nothing", "a_refused_charge_changes_nothing",
        "a_refused_reservation_changes_nothing", "what_never_goes_is_but_a_look"),
    "an admission fits": ("an_admission_fits", "it_is_admitted_if_it_fits", "it_goes_if_it_is_time"),
    "it costs exactly its cost": (
        "an_admission_costs_its_cost", "a_charge_costs_its_cost", "a_charge_owes_its_cost",
        "a_reservation_costs_its_cost", "a_reservation_owes_its_cost", "an_item_costs_its_cost"),
    "it is admitted if and only if it fits": (
        "it_is_admitted_if_it_fits", "it_is_charged_if_the_debt_has_room", "it_goes_if_it_is_time"),
    "it is never if and only if it cannot": (
        "it_is_never_if_it_cannot", "a_charge_is_never_if_it_cannot"),
    "retry_after suffices": (
        "retry_after_suffices", "a_charge_passes_after_its_wait", "what_is_reserved_conforms_when_it_starts"),
    "a tick less does not": (
        "a_tick_less_does_not", "a_charge_passes_no_tick_sooner", "and_not_a_tick_sooner"),
    "remaining is the true one": ("what_remains_passes", "one_more_does_not"),
    "reset_after is the true one": (
        "after_the_reset_it_is_idle", "after_the_reset_it_is_full", "a_tick_before_the_reset_it_is_not"),
    "a late now admits nothing more": (
        "a_late_now_admits_nothing_more", "what_passes_late_is_paid_for", "a_late_now_lets_nothing_more_go"),
    "a relic counts as idle": (
        "a_relic_counts_as_idle", "a_relic_counts_as_long_ago", "a_relic_counts_as_now"),
    "nothing else counts as idle": (
        "nothing_else_counts_as_idle", "a_late_now_admits_nothing_more", "nothing_else_counts_as_now"),
    "a debt is within its bound": (
        "a_debt_stays_within_its_bound", "debt_is_what_is_beyond_the_burst"),
    "a reservation is within its bounds": (
        "a_reservation_starts_within_its_bounds", "who_need_not_wait_does_not"),
    "a refund gives back what is to come": (
        "the_tag_is_kept", "a_refund_is_at_most_what_is_to_come", "a_refund_is_all_that_is_to_come",
        "a_refund_changes_the_tag"),
    "what a server says is obeyed": (
        "what_is_told_makes_nothing_laxer", "what_is_told_stays_within_bounds",
        "no_more_passes_than_was_told", "the_next_unit_comes_at_the_reset",
        "it_is_obeyed_as_long_as_is_said"),
    "a state that is moved is no laxer": ("a_full_one_has_its_units", "what_is_restored_is_no_laxer"),
    "a new rate brings what it should": (
        "a_wait_grows_as_the_interval", "a_delay_grows_as_the_interval", "a_new_rate_is_made_as_a_first_one",
        "a_refused_rate_changes_nothing"),
    "the rate is one that make makes": (
        "a_rate_is_as_the_proofs_want_it", "an_interval_is_rounded_up_to_parts"),
}
DECIDING = ("gcra_64", "gcra_32", "gcra_8", "token_bucket_8", "fixed_window_8", "aligned_window_8",
            "sliding_window_8", "sliding_log", "schedule_64", "schedule_32", "schedule_8")
# {(row, start of the column): why there is no claim, or how it is held elsewhere}
OTHERWISE = {
    ("a debt is within its bound", "schedule"): "none",
    ("a reservation is within its bounds", "schedule"): "none",
    ("a reservation is within its bounds", "fixed_window"): "none",
    ("a reservation is within its bounds", "aligned_window"): "none",
    ("a reservation is within its bounds", "sliding"): "none",
    ("a refund gives back what is to come", ""): "none",
    ("what a server says is obeyed", "schedule"): "none",
    ("a state that is moved is no laxer", "schedule"): "none",
    ("remaining is the true one", "schedule"): "none",
    ("reset_after is the true one", "schedule"): "none",
    ("a new rate brings what it should", "schedule"): "by 8 bits",
    ("a new rate brings what it should", ""): "oracle",
    ("the rate is one that make makes", "schedule"): "by 8 bits",
    ("the rate is one that make makes", ""): SAMPLED,
    ("", "sliding_log"): SAMPLED,
}
MEANINGS = """\
`none`: the rule has no such thing. `by 8 bits`: it divides, and is only tried in words of 8 bits. `oracle`: a rate
never changes; `adjustable` has a test of its own, `oracle/adjustable_test.cpp`. `sampled`: a rate by `made.cpp`, also
with the largest burst that `make` accepts; the decisions of a log, which has many words, by `oracle/` and `model/`. Its
numbers are proved, see below. `but for 3`: see [what is taken for granted](README.md#what-is-taken-for-granted)."""


def names(of):
    """Those in a list of the claims' headers."""
    for header in (HERE / "claims").glob("*.hpp"):
        found = re.search(rf"#define WEIR_CLAIMS_OF_{of}\(CLAIM\)(.*?[^\\])\n", header.read_text(), re.S)
        if found:
            return re.findall(r"CLAIM\((\w+)", found.group(1))
    raise ValueError(f"no list of claims is named {of}")


def claims():
    """{rule/claim: how it is held}"""
    held = {}
    for column, (how, *lists) in COLUMNS.items():
        for name in (name for some in lists for name in names(some)):
            if f"{column}/{name}" not in UNDECIDED:
                held[f"{column}/{name}"] = how
    return held


def without_mistake(looked_for):
    """The claims of the lists that none of these, rule/claim, is about. Rules that share a list share it."""
    wanted = {(some, name) for _, *lists in COLUMNS.values() for some in lists for name in names(some)}
    for claim in looked_for:
        rule, name = claim.split("/")
        _, *lists = COLUMNS.get(rule) or COLUMNS.get(f"{rule}_8") or ("",)
        wanted -= {(some, name) for some in lists}
    return sorted(f"{some}: {name}" for some, name in wanted)


def how_held(held, row, column):
    those = {held[f"{column}/{c}"] for c in ROWS[row] if f"{column}/{c}" in held}
    if those:
        given_up = [c for c in ROWS[row] if f"{column}/{c}" in UNDECIDED]
        return those.pop() + (f", but for {len(given_up)}" if given_up else "")
    for (its, start), why in OTHERWISE.items():
        if its in ("", row) and column.startswith(start):
            return why
    raise ValueError(f"nobody says why there is no claim for {column}: {row}")


def table(head, lines):
    return "\n".join([f"| {' | '.join(head)} |", "| --- " * len(head) + "|",
                      *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def of_rules():
    held = claims()
    return table(("claim", *(f"`{c}`" for c in DECIDING)),
                 [(row, *(how_held(held, row, c) for c in DECIDING)) for row in ROWS])


def of_claims():
    """Each claim by its own name."""
    held = claims()
    rows = {}  # {claim: {how: [column]}}
    for which, how in held.items():
        column, claim = which.split("/")
        rows.setdefault(claim, {}).setdefault(how, []).append(column)
    said = lambda those: ", ".join(f"`{c}`" for c in those)
    return table(("claim", PROVED, EXHAUSTIVE),
                 [(claim.replace("_", " "), said(how.get(PROVED, ())), said(how.get(EXHAUSTIVE, ())))
                  for claim, how in rows.items()])


def page():
    return f"{of_rules()}\n{MEANINGS}\n\n{of_claims()}"
