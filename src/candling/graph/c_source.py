"""The kernels in C: their own text, translated line by line.

A kernel knows numbers of 64 bits and arrays of numbers, and nothing else, so that each of its lines
has a line of C. The annotations of its parameters say what they are: `KINDS` has their
names. A kernel with a name of `SEVERAL` is translated once for each type that it stands for.

The build of a wheel translates and compiles (`hatch_build.py` in the repository), and loads this
module by its path: it imports the standard library alone.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

# By annotation: the type of an entry in C, NumPy's name for it, and the dimensions.
KINDS = {
    "Number": ("I", "", 0),
    "Bools": ("uint8_t", "bool", 1),
    "Bytes": ("uint8_t", "uint8", 1),
    "Int8s": ("int8_t", "int8", 1),
    "Int32s": ("int32_t", "int32", 1),
    "Int64s": ("int64_t", "int64", 1),
    "Float64s": ("double", "float64", 1),
    "Grid32": ("int32_t", "int32", 2),
    "Grid64": ("int64_t", "int64", 2),
}
SEVERAL = {"Amounts": ("Int8s", "Int64s"), "Grid": ("Grid32", "Grid64")}

_HEAD = """\
#include <stdint.h>
typedef int64_t I;
static inline I divide(I a, I b) { I q = a / b; return q - (q * b != a && (a < 0) != (b < 0)); }
static inline I modulo(I a, I b) { return a - b * divide(a, b); }
static inline I least(I a, I b) { return a < b ? a : b; }
static inline I most(I a, I b) { return a > b ? a : b; }
#define absolute(x) ((x) < 0 ? -(x) : (x))
"""
_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.LShift: "<<",
    ast.RShift: ">>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=",
}  # fmt: skip
_FUNCTIONS = {ast.FloorDiv: "divide", ast.Mod: "modulo"}


def library_name(folder: Path) -> str:
    """The file name of the compiled kernels of a folder: another one after every change."""
    texts = [Path(__file__).read_bytes(), *(path.read_bytes() for path in _modules(folder))]
    digest = hashlib.sha256(b"".join(hashlib.sha256(text).digest() for text in texts))
    return f"kernels-{digest.hexdigest()[:16]}.so"


def symbol(module: str, function: str, types: tuple[str, ...]) -> str:
    """The name in the library of a kernel with these types for its names of `SEVERAL`."""
    return "__".join(("candling", module, function, *types))


def write_source(folder: Path) -> str:
    """The C source of all kernels of a folder."""
    kernels = {k.name: k for path in _modules(folder) for k in _read_kernels(path)}
    heads, bodies = [], []
    for kernel in kernels.values():
        for types in kernel.all_types():
            writer = _Writer(kernel, types, kernels)
            body = "".join(writer.lines(kernel.definition.body))
            declared = "".join(
                f"{'double' if name[2:] in writer.floats else 'I'} {name} = 0;\n"
                for name in sorted(writer.own)
            )
            head = f"I {kernel.symbol(types)}({kernel.parameters(types)})"
            passed = ", ".join(kernel.parameter_names(types))
            heads.append(f"static {head};\n")
            bodies.append(
                f"static {head} {{\n{declared}{body}return 0;\n}}\n"
                f"I x_{head[2:]} {{ return {kernel.symbol(types)}({passed}); }}\n"
            )
    return "".join((_HEAD, *heads, *bodies))


def _modules(folder: Path) -> list[Path]:
    return sorted(folder.glob("*kernels.py"))


class _Kernel(NamedTuple):
    """A function whose parameters all have a kind; `names` are what its module calls others."""

    module: str
    definition: ast.FunctionDef
    names: dict[str, tuple[str, str] | int]

    @property
    def name(self) -> tuple[str, str]:
        """Its module and its name."""
        return self.module, self.definition.name

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each parameter."""
        return {a.arg: ast.unparse(a.annotation or ast.Name("")) for a in self.definition.args.args}

    def all_types(self) -> Iterator[dict[str, str]]:
        """The kinds that its names of `SEVERAL` can have."""
        several = sorted({kind for kind in self.kinds.values() if kind in SEVERAL})
        for types in product(*(SEVERAL[kind] for kind in several)):
            yield dict(zip(several, types, strict=True))

    def symbol(self, types: dict[str, str]) -> str:
        """Its name in C."""
        return symbol(self.module, self.definition.name, tuple(types.values()))

    def parameter_names(self, types: dict[str, str]) -> Iterator[str]:
        """The names of its parameters in C: an array comes with its sizes."""
        for name, kind in self.kinds.items():
            dimensions = KINDS[types.get(kind, kind)][2]
            yield from (f"v_{name}", f"{name}_size", f"{name}_width")[: 1 + dimensions]

    def parameters(self, types: dict[str, str]) -> str:
        """The same with their types."""
        entry = {
            f"v_{name}": f"{KINDS[types.get(kind, kind)][0]} *"
            for name, kind in self.kinds.items()
            if kind != "Number"
        }
        return ", ".join(f"{entry.get(n, 'I')} {n}" for n in self.parameter_names(types))


def _read_kernels(path: Path) -> Iterator[_Kernel]:
    module = path.stem
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names: dict[str, tuple[str, str] | int] = {f.name: (module, f.name) for f in functions}
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=str(other)) if other.endswith("kernels"):
                home = other.rpartition(".")[2]
                names |= {alias.asname or alias.name: (home, alias.name) for alias in node.names}
            case ast.Assign(targets=[ast.Name(id=name)]):
                try:
                    value = ast.literal_eval(node.value)
                except ValueError:
                    continue
                if isinstance(value, int):
                    names[name] = value
    for function in functions:
        kernel = _Kernel(module, function, names)
        if all(kind in KINDS or kind in SEVERAL for kind in kernel.kinds.values()):
            yield kernel


class _Writer:
    """Writes the body of one kernel; `own` collects its variables."""

    def __init__(
        self, kernel: _Kernel, types: dict[str, str], kernels: dict[tuple[str, str], _Kernel]
    ) -> None:
        self.kernel, self.types, self.kernels = kernel, types, kernels
        self.own: set[str] = set()
        self.count = 0
        self.floats = self._find_floats()

    def _find_floats(self) -> set[str]:
        """The arrays and variables that hold floats: what gets the value of one is one, too."""
        assigned = [
            (target.id, node.value)
            for node in ast.walk(self.kernel.definition)
            if isinstance(node, ast.Assign | ast.AugAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        ]
        floats = {name for name, kind in self.kernel.kinds.items() if kind == "Float64s"}
        while more := {n for n, value in assigned if n not in floats and _is_float(value, floats)}:
            floats |= more
        return floats

    def _name_next(self) -> str:
        self.count += 1
        return f"t_{self.count}"

    def _kind(self, name: str) -> str:
        kind = self.kernel.kinds.get(name, "Number")
        return self.types.get(kind, kind)

    def lines(self, body: list[ast.stmt]) -> Iterator[str]:
        for statement in body:
            yield from self._statement(statement)

    def _block(self, body: list[ast.stmt]) -> str:
        return f"{{\n{''.join(self.lines(body))}}}\n"

    def _store(self, target: ast.expr, value: str) -> str:
        if isinstance(target, ast.Name):
            if target.id not in self.kernel.kinds:
                self.own.add(f"v_{target.id}")
            return f"v_{target.id} = {value};\n"
        return f"{self._place(target)} = {value};\n"

    def _statement(self, statement: ast.stmt) -> Iterator[str]:
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                yield f"{self.value(value)};\n"
            case ast.Assign() | ast.AugAssign():
                yield from self._assign(statement)
            case ast.If(test=test, body=body, orelse=rest):
                yield f"if ({self.value(test)}) {self._block(body)}"
                if rest:
                    yield f"else {self._block(rest)}"
            case ast.While(test=test, body=body, orelse=[]):
                yield f"while ({self.value(test)}) {self._block(body)}"
            case ast.For(target=ast.Name(id=name), iter=what, body=body, orelse=[]):
                yield from self._loop(name, what, body)
            case ast.Return(value=value) if value is None or not _is_float(value, self.floats):
                yield f"return {'0' if value is None else self.value(value)};\n"
            case ast.Break():
                yield "break;\n"
            case ast.Continue():
                yield "continue;\n"
            case _:
                raise NotImplementedError(ast.unparse(statement))

    def _assign(self, statement: ast.Assign | ast.AugAssign) -> Iterator[str]:
        match statement:
            case ast.AugAssign(target=target, op=op, value=value):
                yield self._store(target, self.value(ast.BinOp(target, op, value)))
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                yield from self._assign_each(targets, values)
            case ast.Assign(targets=[ast.Tuple()], value=ast.IfExp(test, one, two)):
                either: list[ast.stmt] = [
                    ast.Assign(statement.targets, value) for value in (one, two)
                ]
                yield from self._statement(ast.If(test, either[:1], either[1:]))
            case ast.Assign(targets=[target], value=value):
                yield self._store(target, self.value(value))
            case ast.Assign(targets=targets, value=value):
                yield from self._assign_each(targets, [value] * len(targets))

    def _assign_each(self, targets: list[ast.expr], values: list[ast.expr]) -> Iterator[str]:
        """Read all values before any is written."""
        if any(_is_float(value, self.floats) for value in values):
            raise NotImplementedError("floats are assigned one by one")
        own = [(self._name_next(), value) for value in values]
        yield "{\n"
        yield from (f"I {name} = {self.value(value)};\n" for name, value in own)
        for target, (name, _) in zip(targets, own, strict=True):
            yield self._store(target, name)
        yield "}\n"

    def _loop(self, name: str, what: ast.expr, body: list[ast.stmt]) -> Iterator[str]:
        at, end = self._name_next(), self._name_next()
        self.own.add(f"v_{name}")
        first, step, value = "0", 1, at
        match what:
            case ast.Name(id=array):
                last, value = f"{array}_size", f"v_{array}[{at}]"
            case ast.Call(func=ast.Name(id="range"), args=arguments):
                if len(arguments) > 1:
                    first = self.value(arguments[0])
                if len(arguments) > 2:
                    step = ast.literal_eval(arguments[2])
                last = self.value(arguments[min(len(arguments), 2) - 1])
            case _:
                raise NotImplementedError(ast.unparse(what))
        sign = "<" if step > 0 else ">"
        yield f"for (I {at} = {first}, {end} = {last}; {at} {sign} {end}; {at} += {step}) {{\n"
        yield f"v_{name} = {value};\n"
        yield from self.lines(body)
        yield "}\n"

    def value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int() as number):
                return str(int(number))
            case ast.Constant(value=float() as number):
                return repr(number)
            case ast.Name(id=name):
                known = self.kernel.names.get(name)
                return str(known) if isinstance(known, int) else f"v_{name}"
            case ast.BinOp(left=left, op=op, right=right):
                one, two = self.value(left), self.value(right)
                if type(op) in _FUNCTIONS:
                    return f"{_FUNCTIONS[type(op)]}({one}, {two})"
                return f"({one} {_OPERATORS[type(op)]} {two})"
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return f"({sign.join(map(self.value, values))})"
            case ast.UnaryOp(op=op, operand=operand):
                return f"({'!' if isinstance(op, ast.Not) else '-'}{self.value(operand)})"
            case ast.Compare(left=left, ops=ops, comparators=others):
                ends = [self.value(end) for end in (left, *others)]
                pairs = zip(ends, ops, ends[1:], strict=False)
                both = " && ".join(f"({a} {_OPERATORS[type(op)]} {b})" for a, op, b in pairs)
                return f"({both})"
            case ast.IfExp(test=test, body=one, orelse=two):
                return f"({self.value(test)} ? {self.value(one)} : {self.value(two)})"
            case ast.Subscript():
                cast = "" if _is_float(node, self.floats) else "(I)"
                return f"{cast}{self._place(node)}"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, arguments)
        raise NotImplementedError(ast.unparse(node))

    def _place(self, node: ast.expr) -> str:
        """An entry of an array, or one of its sizes."""
        match node:
            case ast.Subscript(
                ast.Attribute(ast.Name(id=name), "shape"), ast.Constant(value=int() as axis)
            ):
                return f"{name}_{('size', 'width')[axis]}"
            case ast.Subscript(ast.Name(id=name), ast.Tuple(elts=[line, column])):
                return f"v_{name}[{self.value(line)} * {name}_width + {self.value(column)}]"
            case ast.Subscript(ast.Name(id=name), index):
                return f"v_{name}[{self.value(index)}]"
        raise NotImplementedError(ast.unparse(node))

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        if name == "len":
            return f"{ast.unparse(arguments[0])}_size"
        if name == "abs":
            return f"absolute({self.value(arguments[0])})"
        if name in ("min", "max"):
            if any(_is_float(argument, self.floats) for argument in arguments):
                raise NotImplementedError(f"{name} of floats")
            text, *others = map(self.value, arguments)
            for other in others:
                text = f"{'least' if name == 'min' else 'most'}({text}, {other})"
            return text
        home = self.kernel.names[name]
        if isinstance(home, int):
            raise NotImplementedError(name)
        called = self.kernels[home]
        passed, types = [], {}
        for (parameter, kind), argument in zip(called.kinds.items(), arguments, strict=True):
            del parameter
            if kind == "Number":
                passed.append(self.value(argument))
                continue
            array = ast.unparse(argument)
            own = self._kind(array)
            if kind in SEVERAL:
                types[kind] = own
            elif own != kind:
                raise NotImplementedError(f"{name} wants {kind}, and {array} is {own}")
            passed += [f"v_{array}", f"{array}_size", f"{array}_width"][: 1 + KINDS[own][2]]
        return f"{called.symbol(dict(sorted(types.items())))}({', '.join(passed)})"


def _is_float(node: ast.expr, floats: set[str]) -> bool:
    """Whether the value is a float, where these arrays and variables hold floats."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, float)
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return name in floats
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return isinstance(getattr(node, "op", None), ast.Div) or any(
                _is_float(side, floats) for side in (left, right)
            )
        case ast.UnaryOp(operand=operand) | ast.Call(func=ast.Name(id="abs"), args=[operand]):
            return not isinstance(getattr(node, "op", None), ast.Not) and _is_float(operand, floats)
    return False
