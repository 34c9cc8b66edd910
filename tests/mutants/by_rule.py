"""Mutations that are made by rule, and the headers with all of them in it, to be chosen from at run time
(see switches.hpp)."""

import collections
import dataclasses
import re

# Operators stand between spaces, so that templates are left alone. A rule is a pattern, what stands there
# then, and the mutation as a switch: a function of its number and of what was found, if it has one.
Rule = collections.namedtuple("Rule", "pattern new switch")

NAMES = {"<": "less", "<=": "less_or_equal", ">": "greater", ">=": "greater_or_equal", "==": "equal",
         "!=": "unequal", "+": "plus", "-": "minus", "*": "times", "/": "divided_by", "%": "modulo",
         "&": "bit_and", "|": "bit_or", "<<": "shifted_left", ">>": "shifted_right",
         "+=": "add", "-=": "subtract"}
# An operator for each that binds as closely.
LEVELS = {"<": "<=", "<=": "<=", ">": "<=", ">=": "<=", "==": "==", "!=": "==", "+": "+", "-": "+",
          "*": "*", "/": "*", "%": "*", "&": "&", "|": "|", "<<": "<<", ">>": "<<", "+=": "+=", "-=": "+="}


def binary(old, new, behind=""):
    level = LEVELS[old]
    return Rule(re.compile(f" {re.escape(old)} {behind}"), f" {new} ",
                lambda n, _: f" {level} ::weir_mutations::changed<{n}, ::weir_mutations::{NAMES[old]}, "
                             f"::weir_mutations::{NAMES[new]}> {level} ")


def literal(pattern, new):
    def switch(n, old):
        return f"::weir_mutations::either<{n}>({old[0]}, {new(old) if callable(new) else new})"
    return Rule(re.compile(pattern), new, switch)


def next_number(found):
    digits = found[0].rstrip("Uu")
    return str(int(digits) + 1) + found[0][len(digits):]


# An `if` and a statement that is left out are written around what is there: see `with_switches`.
CONDITION = r"(?<=if )\((?!constexpr)[^{};]*\)(?= (?:return|\{|\w+_?[ (.]))"
RULES = [
    binary("<", "<="), binary("<=", "<"), binary(">", ">="), binary(">=", ">"),
    binary("==", "!="), binary("!=", "=="), binary("+", "-"), binary("-", "+"),
    binary("*", "+", r"(?=\w)"), binary("/", "*"), binary("%", "/"), binary("&", "|"), binary("|", "&"),
    binary("<<", ">>"), binary(">>", "<<"), binary("+=", "-="), binary("-=", "+="),
    # One of the two sides is not asked.
    Rule(re.compile(r" && "), " && true | ", "right"), Rule(re.compile(r" && "), " | true && ", "left"),
    Rule(re.compile(r" \|\| "), " || false & ", "right"), Rule(re.compile(r" \|\| "), " & false || ", "left"),
    Rule(re.compile(r"(?<=[(&|] )!(?=\w)|(?<=\()!(?=\w)|(?<=return )!(?=\w)"), "",
         lambda n, _: f"::weir_mutations::negated<{n}> ->* "),
    Rule(re.compile(r"\+\+(?=[\w*(])"), "--", lambda n, _: f"::weir_mutations::count_up<{n}> ->* "),
    Rule(re.compile(r"--(?=[\w*(])"), "++", lambda n, _: f"::weir_mutations::count_down<{n}> ->* "),
    Rule(re.compile(r"(?<=[\w)\]])\+\+"), "--", None),
    literal(r"(?<![\w.'])0(?![\w.'])", "1"), literal(r"(?<![\w.'])1(?![\w.'])", "0"),
    literal(r"(?<![\w.'])([2-9]|[1-9]\d+)[Uu]?\b(?!['.])", next_number),
    literal(r"\btrue\b", "false"), literal(r"\bfalse\b", "true"),
    Rule(re.compile(r"\bstd::min\b"), "std::max", lambda n, _: f"::weir_mutations::smallest<{n}>"),
    Rule(re.compile(r"\bstd::max\b"), "std::min", lambda n, _: f"::weir_mutations::largest<{n}>"),
    Rule(re.compile(CONDITION), "(true)", "condition"), Rule(re.compile(CONDITION), "(false)", "condition"),
    # A statement: a call or an assignment, alone on its line.
    Rule(re.compile(r"(?m)^ +(?!return|using|static|friend|case|default|goto|\.)"
                    r"[\w.>\[\]-]+(?:\(.*\)| [-+*/|&^]?= [^;]*);$"), "", "statement"),
    # Threads are not part of what a switch could change: the model checker compiles its own programs.
    Rule(re.compile(r"_(acquire|release|acq_rel|seq_cst)(?=\()"), "_relaxed", "order"),
]
# Nobody runs these.
IGNORED = re.compile(
    r"//[^\n]*|(?m:^ *#[^\n]*)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'|"
    r"\bstatic_assert\(.*?\);|\bconcept\b.*?;\n(?! )|\brequires\b[^{;]*[{;]|\btemplate <[^\n]*>\n|\[\[[^\]]*\]\]",
    re.S)


@dataclasses.dataclass(frozen=True)
class Place:
    begin: int
    end: int
    new: str  # what stands there then
    rule: int
    found: re.Match


def places(text):
    plain = IGNORED.sub(lambda m: re.sub(r"[^\n]", "\0", m[0]), text)  # of the same length
    found = [Place(m.start(), m.end(), rule.new(m) if callable(rule.new) else rule.new, i, m)
             for i, rule in enumerate(RULES) for m in rule.pattern.finditer(plain)
             if rule.switch != "statement" or begins_there(plain, m.start())]
    return sorted(found, key=lambda p: (p.begin, p.end, p.new))


def begins_there(plain, position):
    """Is it a statement, and not the second line of one?"""
    before = plain[:position].rstrip("\0 \n")
    return before.endswith((";", "{", "}", ")", "else", "public:", "private:"))


def has_switch(place):
    return RULES[place.rule].switch not in (None, "order")


def is_order(place):
    return RULES[place.rule].switch == "order"


def with_switches(text, numbered):
    """The text with these (number, place) in it; its lines are where they were."""
    insertions = []  # position, what is left out behind it, what is put there
    pairs = collections.defaultdict(dict)
    for number, place in numbered:
        switch = RULES[place.rule].switch
        if callable(switch):
            insertions.append((place.begin, place.end - place.begin, switch(number, place.found)))
        elif switch == "statement":
            indentation = re.match(r" *", text[place.begin:])[0]
            insertions.append((place.begin + len(indentation), 0, f"{{ if (!::weir_mutations::on<{number}>()) "))
            insertions.append((place.end, 0, " }"))
        else:
            pairs[place.begin, place.end][place.new] = number
    for (begin, end), numbers in pairs.items():
        if "(true)" in numbers or "(false)" in numbers:
            always = f"::weir_mutations::on<{numbers['(true)']}>() || " if "(true)" in numbers else ""
            never = f"!::weir_mutations::on<{numbers['(false)']}>() && " if "(false)" in numbers else ""
            insertions.append((begin, 1, f"({always}({never}("))
            insertions.append((end - 1, 1, ")))"))
        else:
            text_of = {new: f"::weir_mutations::ignore<{n}>" for new, n in numbers.items()}
            op, inner, neutral = (" && ", " | ", "true") if text[begin:end] == " && " else (" || ", " & ", "false")
            left = text_of.get(f"{inner}{neutral}{op}")
            right = text_of.get(f"{op}{neutral}{inner}")
            insertions.append((begin, end - begin, (f"{inner}{left}" if left else "") + op +
                               (f"{right}{inner}" if right else "")))
    made, position = [], 0
    for begin, length, new in sorted(insertions):
        if begin < position:
            raise ValueError(f"two mutations overlap at {begin}")
        made += [text[position:begin], new]
        position = begin + length
    return "".join(made) + text[position:]
