"""LLVM's IR of straight-line functions, as terms of z3's bit-vectors.

What runs is what is proved: clang compiles the rules at -O2, and this reads the text that it writes.
A value is {term, poison}: what the compiler may take to be undefined (a sum that wraps although it is
said not to, a shift by more than the width) is poison. Who branches on it, or returns it, has lost.
Memory, loops, calls and anything else that is not in this file are refused by name.

A product of two variables is too much for a solver. It becomes "any number of which this is known":
see Products. What holds for each such number holds for the product. A quotient is a number of which
the product with the divisor is known.
"""

import re

import z3


class Refused(Exception):
    """The IR has something that is not understood; the message says what and where."""


class Value:
    """A term, and when it is poison."""

    def __init__(self, term, poison=None):
        self.term = z3.simplify(term) if isinstance(term, z3.ExprRef) else term
        self.poison = z3.BoolVal(False) if poison is None else poison


def any_of(*conditions):
    some = [c for c in conditions if not z3.is_false(c)]
    if not some:
        return z3.BoolVal(False)
    return some[0] if len(some) == 1 else z3.Or(*some)


def choose(condition, then, otherwise):
    if then.eq(otherwise):
        return then
    return z3.If(condition, then, otherwise)


def is_true(bit):
    return bit == z3.BitVecVal(1, 1)


def as_bit(condition):
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def low_part(x):
    """What a number consists of whose upper half is zero; nothing if that cannot be seen."""
    if x.decl().kind() != z3.Z3_OP_CONCAT or not z3.is_bv_value(x.arg(0)) or x.arg(0).as_long() != 0:
        return None
    rest = x.children()[1:]
    bits = sum(part.size() for part in rest)
    return (z3.Concat(*rest) if len(rest) > 1 else rest[0]) if 2 * bits <= x.size() else None


def shared_factors(one, other):
    """[(the rest of one product, that of the other one, what both have)]"""
    (a, b), (c, d) = one, other
    pairs = ((a, c, b, d), (a, d, b, c), (b, c, a, d), (b, d, a, c))
    return [(x, y, common) for x, y, common, same in pairs if common.eq(same) and x.size() == y.size()]


class Products:
    """Products and quotients of two variables, by what is known of them. Each known fact is true of
    the real product, so a proof is one of the real product too; a counterexample may not be."""

    def __init__(self, exact):
        self.exact = exact  # up to this width the solver gets the product itself
        self.known = {}  # {(a, b): (product, overflows)}
        self.facts = []
        self.quotients = {}

    def of(self, a, b):
        """{a * b in as many bits, whether that is too few}"""
        a, b = z3.simplify(a), z3.simplify(b)
        if z3.is_bv_value(a) or z3.is_bv_value(b) or a.size() <= self.exact:
            return a * b, z3.Not(z3.BVMulNoOverflow(a, b, False))
        if a.get_id() > b.get_id():
            a, b = b, a
        key = (a.get_id(), b.get_id())
        if key not in self.known:
            product, over = self._new(a, b)
            self.facts += self._facts(a, b, product, over)
            others = list(self.known.values())
            for i, other in enumerate(others):
                for x, y, common in shared_factors((a, b), other[:2]):
                    self.facts += self._ordered(x, product, over, y, *other[2:], common)
                    self.facts += self._ordered(y, *other[2:], x, product, over, common)
                    self.facts.append(z3.Implies(x == y, z3.And(product == other[2], over == other[3])))
                    for third in others[:i]:
                        for x2, z, common2 in shared_factors((a, b), third[:2]):
                            if common2.eq(common) and x2.eq(x):
                                self.facts += self._distributed((x, product), (y, other[2]), (z, third[2]))
            self.known[key] = (a, b, product, over)
        return self.known[key][2:]

    def _new(self, a, b):
        """Of numbers of which half of the bits are zero it is the long product of the halves."""
        short = [low_part(x) for x in (a, b)]
        if None in short:
            number = len(self.known)
            return z3.BitVec(f"product_{number}", a.size()), z3.Bool(f"product_{number}_is_too_large")
        bits = max(x.size() for x in short)
        low, over = self.of(*(z3.ZeroExt(bits - x.size(), x) for x in short))
        high = z3.BitVec(f"product_{len(self.known)}_high", bits)
        self.facts.append(over == (high != 0))
        for x, y in (short, reversed(short)):
            x, y = (z3.ZeroExt(bits - n.size(), n) for n in (x, y))
            self.facts.append(z3.Or(z3.ULT(high, x), high == 0))
            self.facts.append(z3.Implies(y >= 0, z3.ULE(high, z3.LShR(x, 1))))  # y has no top bit
        return z3.ZeroExt(a.size() - 2 * bits, z3.Concat(high, low)), z3.BoolVal(False)

    @staticmethod
    def _facts(a, b, product, over):
        zero = z3.BitVecVal(0, a.size())
        one = z3.BitVecVal(1, a.size())
        facts = [z3.Implies(z3.Or(a == zero, b == zero), z3.And(product == zero, z3.Not(over))),
                 z3.Implies(a == one, z3.And(product == b, z3.Not(over))),
                 z3.Implies(b == one, z3.And(product == a, z3.Not(over))),
                 z3.Implies(z3.And(a != zero, b != zero, z3.Not(over)),
                            z3.And(z3.UGE(product, a), z3.UGE(product, b)))]
        for low in (1, 3, 7):
            mask = z3.BitVecVal(low, a.size())
            facts.append(z3.Implies(z3.Or(a & mask == zero, b & mask == zero), product & mask == zero))
        return facts

    @staticmethod
    def _ordered(x, product, over, y, product2, over2, common):
        """Of x * common and y * common, if x is less."""
        return [z3.Implies(z3.And(z3.ULT(x, y), z3.Not(over2)),
                           z3.And(z3.Not(over), z3.UGE(product2, product),
                                  z3.UGE(product2 - product, common))),
                z3.Implies(y == x + 1, product2 == product + common)]

    @staticmethod
    def _distributed(*products):
        """Of three numbers with a common factor: if one is the sum of the others, so is its product."""
        return [z3.Implies(x == y + z, a == b + c)
                for (x, a), (y, b), (z, c) in (products, (products[1], products[2], products[0]),
                                               (products[2], products[0], products[1]))]

    def quotient(self, a, b):
        a, b = z3.simplify(a), z3.simplify(b)
        if (z3.is_bv_value(b) and b.as_long() & (b.as_long() - 1) == 0) or a.size() <= self.exact:
            return z3.UDiv(a, b)
        key = (a.get_id(), b.get_id())
        if key not in self.quotients:
            quotient = z3.BitVec(f"quotient_{len(self.quotients)}", a.size())
            self.quotients[key] = (a, b, quotient)
            product, over = self.of(quotient, b)
            self.facts.append(z3.Implies(b != 0, z3.And(z3.Not(over), z3.ULE(product, a),
                                                        z3.ULT(a - product, b))))
        return self.quotients[key][2]


class Function:
    def __init__(self, name, arguments, blocks):
        self.name = name
        self.arguments = arguments  # [(name, bits)]
        self.blocks = blocks  # {label: [lines]}, the first one is the entry


NAME = r'%(?:"[^"]*"|[-\w.$]+)'
FLAGS = ("nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds")


def functions(text):
    """All that are defined in a module."""
    found = {}
    for match in re.finditer(r"^define [^@\n]*@([\w.$]+)\((.*?)\)[^{\n]*\{\n(.*?)^\}", text, re.M | re.S):
        name, arguments, body = match.groups()
        those = []
        for argument in filter(None, (a.strip() for a in arguments.split(","))):
            parsed = re.fullmatch(rf"i(\d+)(?: \w+(?:\([^)]*\))?)* ({NAME})", argument)
            if not parsed:
                raise Refused(f"{name}: an argument that is no integer: {argument}")
            those.append((parsed.group(2), int(parsed.group(1))))
        found[name] = Function(name, those, blocks_of(name, body))
    return found


def blocks_of(name, body):
    blocks = {}
    lines = None
    pending = ""
    for line in body.splitlines():
        line = re.sub(r"\s*;.*$", "", line).strip()
        if not line:
            continue
        label = re.fullmatch(r'("[^"]*"|[-\w.$]+):', line)
        if label:
            lines = blocks.setdefault("%" + label.group(1), [])
            continue
        if lines is None:
            raise Refused(f"{name}: a first block without a name: compile with -fno-discard-value-names")
        pending = f"{pending} {line}".strip()
        if pending.startswith("switch") and "]" not in pending:
            continue  # it goes on in the next line
        lines.append(re.sub(r"(, !\S+ !\d+)+$|(, !\S+)+$", "", pending))
        pending = ""
    return blocks


class Reading:
    """One function, read with given terms for its arguments. `result` is what it returns, and
    `undefined` when it does what has no meaning."""

    def __init__(self, function, arguments, products):
        self.name = function.name
        self.products = products
        self.values = {name: Value(term) for (name, _), term in zip(function.arguments, arguments)}
        self.undefined = z3.BoolVal(False)
        self.returned = []
        self.edges = {}  # {(from, to): when}
        for label in self.in_order(function):
            ways = [when for (_, to), when in self.edges.items() if to == label]
            self.here = any_of(*ways) if ways else z3.BoolVal(True)
            self.label = label
            for line in function.blocks[label]:
                self.read(line)
        if not self.returned:
            raise Refused(f"{self.name}: it never returns")
        (_, self.result), *others = self.returned
        for when, term in others:
            self.result = choose(when, term, self.result)

    def refuse(self, line):
        raise Refused(f"{self.name}: not understood: {line}")

    def in_order(self, function):
        """Each block after those that lead to it."""
        after = {label: re.findall(rf"label ({NAME})", lines[-1]) for label, lines in function.blocks.items()}
        done, order = {}, []
        stack = [(next(iter(function.blocks)), iter(()))]
        stack = [(stack[0][0], iter(after[stack[0][0]]))]
        done[stack[0][0]] = False
        while stack:
            label, rest = stack[-1]
            to = next(rest, None)
            if to is None:
                done[label] = True
                order.append(label)
                stack.pop()
            elif to not in done:
                done[to] = False
                stack.append((to, iter(after[to])))
            elif not done[to]:
                raise Refused(f"{self.name}: a loop, at {to}")
        return list(reversed(order))

    def operand(self, text, bits):
        text = text.strip()
        if text.startswith("%"):
            return self.values[text]
        if text in ("true", "false"):
            return Value(z3.BitVecVal(int(text == "true"), 1))
        if text in ("poison", "undef"):
            return Value(z3.BitVecVal(0, bits), z3.BoolVal(True))
        if not re.fullmatch(r"-?\d+", text):
            self.refuse(text)
        return Value(z3.BitVecVal(int(text), bits))

    def must(self, line, pattern):
        match = re.fullmatch(pattern, line)
        if not match:
            self.refuse(line)
        return match.groups()

    def read(self, line):
        assigned = re.fullmatch(rf"({NAME}) = (.*)", line)
        if assigned:
            self.values[assigned.group(1)] = self.value_of(assigned.group(2))
            return
        what = line.split()[0]
        if what == "br":
            self.branch(line)
        elif what == "switch":
            self.switch(line)
        elif what == "ret":
            bits, text = self.must(line, r"ret i(\d+) (\S+)")
            value = self.operand(text, int(bits))
            self.fail(value.poison)
            self.returned.append((self.here, value.term))
        elif what == "unreachable":
            self.fail(z3.BoolVal(True))
        elif re.search(r"@llvm\.(assume|experimental\.noalias\.scope\.decl)\(", line):
            pass  # what is assumed is not used: a proof needs less
        else:
            self.refuse(line)

    def fail(self, when):
        if not z3.is_false(when):
            self.undefined = any_of(self.undefined, z3.And(self.here, when))

    def go(self, to, when):
        key = (self.label, to)
        self.edges[key] = any_of(self.edges.get(key, z3.BoolVal(False)), z3.And(self.here, when))

    def branch(self, line):
        straight = re.fullmatch(rf"br label ({NAME})", line)
        if straight:
            self.go(straight.group(1), z3.BoolVal(True))
            return
        condition, then, otherwise = self.must(line, rf"br i1 (\S+), label ({NAME}), label ({NAME})")
        value = self.operand(condition, 1)
        self.fail(value.poison)
        self.go(then, is_true(value.term))
        self.go(otherwise, z3.Not(is_true(value.term)))

    def switch(self, line):
        bits, on, default, cases = self.must(line, rf"switch i(\d+) (\S+), label ({NAME}) \[(.*)\]")
        value = self.operand(on, int(bits))
        self.fail(value.poison)
        rest = z3.BoolVal(True)
        for number, to in re.findall(rf"i\d+ (\S+), label ({NAME})", cases):
            equal = value.term == self.operand(number, int(bits)).term
            self.go(to, equal)
            rest = z3.And(rest, z3.Not(equal))
        self.go(default, rest)

    def value_of(self, text):
        words = text.split()
        what = words[0]
        if what in BINARY:
            return self.binary(text)
        if what == "icmp":
            _, how, bits, a, b = self.must(text, r"icmp (samesign )?(\w+) i(\d+) (\S+), (\S+)")
            x, y = self.operand(a, int(bits)), self.operand(b, int(bits))
            return Value(as_bit(COMPARE[how](x.term, y.term)), any_of(x.poison, y.poison))
        if what == "select":
            on, bits, a, _, b = self.must(text, r"select i1 (\S+), i(\d+) (\S+), i(\d+) (\S+)")
            c, x, y = self.operand(on, 1), self.operand(a, int(bits)), self.operand(b, int(bits))
            chosen = is_true(c.term)
            return Value(choose(chosen, x.term, y.term),
                         any_of(c.poison, choose(chosen, x.poison, y.poison)))
        if what == "phi":
            return self.phi(text)
        if what in ("zext", "sext", "trunc"):
            flags, bits, a, to = self.must(text, r"\w+ ((?:(?:nneg|nuw|nsw) )*)i(\d+) (\S+) to i(\d+)")
            return self.resized(what, flags.split(), self.operand(a, int(bits)), int(bits), int(to))
        if what == "freeze":
            bits, a = self.must(text, r"freeze i(\d+) (\S+)")
            value = self.operand(a, int(bits))
            if z3.is_false(value.poison):
                return value
            return Value(choose(value.poison, z3.FreshConst(z3.BitVecSort(int(bits))), value.term))
        if what == "extractvalue":
            of, index = self.must(text, rf"extractvalue \{{[^}}]*\}} ({NAME}), (\d)")
            pair = self.values[of]
            return Value(pair.term[int(index)], pair.poison)
        if what in ("call", "tail"):
            return self.call(text)
        self.refuse(text)

    def phi(self, text):
        bits, ways = self.must(text, r"phi i(\d+) (.*)")
        chosen = None
        for a, label in re.findall(rf"\[ (\S+), ({NAME}) \]", ways):
            if (label, self.label) not in self.edges:
                continue  # that block is never entered
            value = self.operand(a, int(bits))
            if chosen is None:
                chosen = value
                continue
            when = self.edges[(label, self.label)]
            chosen = Value(choose(when, value.term, chosen.term), choose(when, value.poison, chosen.poison))
        return chosen

    def resized(self, what, flags, value, bits, to):
        if what == "zext":
            broken = value.term < 0 if "nneg" in flags else z3.BoolVal(False)
            return Value(z3.ZeroExt(to - bits, value.term), any_of(value.poison, broken))
        if what == "sext":
            return Value(z3.SignExt(to - bits, value.term), value.poison)
        term = z3.Extract(to - 1, 0, value.term)
        broken = [z3.ZeroExt(bits - to, term) != value.term] if "nuw" in flags else []
        broken += [z3.SignExt(bits - to, term) != value.term] if "nsw" in flags else []
        return Value(term, any_of(value.poison, *broken))

    def binary(self, text):
        words = text.split()
        what, flags = words[0], []
        while words[1] in FLAGS:
            flags.append(words.pop(1))
        bits, a, b = self.must(" ".join(words), r"\w+ i(\d+) (\S+), (\S+)")
        x, y = self.operand(a, int(bits)), self.operand(b, int(bits))
        if what == "mul":
            term, over = self.products.of(x.term, y.term)
            broken = [over] if "nuw" in flags else []
            if "nsw" in flags and None not in (low_part(x.term), low_part(y.term)):
                broken.append(term < 0)  # a product of numbers that are not negative
            elif "nsw" in flags:
                broken.append(z3.Not(z3.And(z3.BVMulNoOverflow(x.term, y.term, True),
                                            z3.BVMulNoUnderflow(x.term, y.term))))
            return Value(term, any_of(x.poison, y.poison, *broken))
        if what in ("udiv", "urem"):
            self.fail(any_of(x.poison, y.poison, z3.simplify(y.term == 0)))
            quotient = self.products.quotient(x.term, y.term)
            product, _ = self.products.of(quotient, y.term)
            broken = [product != x.term] if "exact" in flags else []
            return Value(quotient if what == "udiv" else x.term - product, any_of(*broken))
        broken = BINARY[what][1](x.term, y.term, flags)
        return Value(BINARY[what][0](x.term, y.term), any_of(x.poison, y.poison, *broken))

    def call(self, text):
        intrinsic, those = self.must(text, r"(?:tail )?call .*@llvm\.([\w.]+)\.i\d+\((.*)\)(?: #\d+)?")
        arguments = [self.operand(a, int(bits))
                     for bits, a in re.findall(r"i(\d+)(?: noundef| range\([^)]*\))* ([^\s,]+)", those)]
        poison = any_of(*(a.poison for a in arguments))
        terms = [a.term for a in arguments]
        if intrinsic == "umul.with.overflow":
            product, over = self.products.of(*terms)
            return Value((product, as_bit(over)), poison)
        if intrinsic not in INTRINSICS:
            self.refuse(text)
        return Value(INTRINSICS[intrinsic](*terms), poison)


def wraps(no_overflow, signed_ends):
    """When a sum or difference is poison."""

    def broken(x, y, flags):
        some = [z3.Not(no_overflow(x, y))] if "nuw" in flags else []
        if "nsw" in flags:
            some += [z3.Not(end(x, y)) for end in signed_ends]
        return some

    return broken


def shifted(x, by):
    """To the left. By a number that is known it is a product, and of a sum the sum of the products: so
    equal times in both parts of a difference cancel out before the solver begins."""
    if not z3.is_bv_value(by) or by.as_long() >= x.size():
        return x << by
    parts = x.children() if x.decl().kind() == z3.Z3_OP_BADD else [x]
    return sum((part * (1 << by.as_long()) for part in parts[1:]), parts[0] * (1 << by.as_long()))


def shifts(back):
    def broken(x, y, flags):
        some = [z3.simplify(z3.UGE(y, x.size()))]
        if "nuw" in flags:
            some.append(z3.LShR(x << y, y) != x)
        if "nsw" in flags:
            some.append((x << y) >> y != x)
        if "exact" in flags:
            some.append(back(x, y) << y != x)
        return some

    return broken


def never(_x, _y, _flags):
    return []


def overlaps(x, y, flags):
    return [x & y != 0] if "disjoint" in flags else []


BINARY = {
    "add": (lambda x, y: x + y,
            wraps(lambda x, y: z3.BVAddNoOverflow(x, y, False),
                  [lambda x, y: z3.BVAddNoOverflow(x, y, True), z3.BVAddNoUnderflow])),
    "sub": (lambda x, y: x - y,
            wraps(z3.UGE, [z3.BVSubNoOverflow, lambda x, y: z3.BVSubNoUnderflow(x, y, True)])),
    "and": (lambda x, y: x & y, never),
    "or": (lambda x, y: x | y, overlaps),
    "xor": (lambda x, y: x ^ y, never),
    "shl": (shifted, shifts(z3.LShR)),
    "lshr": (z3.LShR, shifts(z3.LShR)),
    "ashr": (lambda x, y: x >> y, shifts(lambda x, y: x >> y)),
    "mul": None, "udiv": None, "urem": None,
}
COMPARE = {
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
    "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
    "slt": lambda x, y: x < y, "sle": lambda x, y: x <= y,
    "sgt": lambda x, y: x > y, "sge": lambda x, y: x >= y,
}
INTRINSICS = {
    "umin": lambda x, y: z3.If(z3.ULE(x, y), x, y),
    "umax": lambda x, y: z3.If(z3.UGE(x, y), x, y),
    "smin": lambda x, y: z3.If(x <= y, x, y),
    "smax": lambda x, y: z3.If(x >= y, x, y),
    "usub.sat": lambda x, y: z3.If(z3.UGE(x, y), x - y, z3.BitVecVal(0, x.size())),
    "uadd.sat": lambda x, y: z3.If(z3.UGE(x + y, x), x + y, z3.BitVecVal(-1, x.size())),
    "uadd.with.overflow": lambda x, y: (x + y, as_bit(z3.ULT(x + y, x))),
    "usub.with.overflow": lambda x, y: (x - y, as_bit(z3.ULT(x, y))),
    "fshl": lambda x, y, by: z3.Extract(2 * x.size() - 1, x.size(),
                                        z3.Concat(x, y) << z3.ZeroExt(x.size(), z3.URem(by, x.size()))),
    "fshr": lambda x, y, by: z3.Extract(x.size() - 1, 0,
                                        z3.LShR(z3.Concat(x, y), z3.ZeroExt(x.size(), z3.URem(by, x.size())))),
}
