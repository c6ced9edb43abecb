"""test-compare.py SCRIPT: tests of how buffer-merge-report compares plans."""

import copy
import importlib.machinery
import importlib.util
import sys
import unittest

# Nothing is written beside the tool.
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("report", sys.argv.pop(1))
spec = importlib.util.spec_from_loader("report", loader)
report = importlib.util.module_from_spec(spec)
loader.exec_module(report)


def make_buffer(name, offset, size, begin, end, sharers=0):
    return {"name": name, "type": "", "offset": offset, "size": size, "begin": begin} | {
        "end": end,
        "sharers": sharers,
    }


def make_pool(function, buffers):
    size = max(buffer["offset"] + buffer["size"] for buffer in buffers)
    return {"function": function, "scope": "func.func", "poolSize": size} | {
        "buffers": buffers
    }


def make_left(name, size):
    return {"name": name, "type": "", "function": "f", "size": size}


def make_plan():
    """One buffer below, and one that spans two, at other ticks; 17 bytes.

    8 | bbb cc
    4 | aaa cc
    0 | ddddddd
    """
    rows = [("a", 4, 4, 0, 3, 1), ("b", 8, 4, 0, 3, 1)]
    rows += [("c", 4, 8, 4, 6, 2), ("d", 0, 4, 0, 7, 0)]
    pool = make_pool("f", [make_buffer(*row) for row in rows])
    left = [{"reason": "returned", "buffers": [make_left("e", 5)]}]
    return {"pools": [pool], "left": left}


def make_program(buffers, size=4):
    """A function `f` whose buffers have the given names, operations and types, one
    after the other at offset 0."""
    row = []
    for tick, (name, operation, type) in enumerate(buffers):
        buffer = make_buffer(name, 0, size, tick, tick + 1, len(buffers) - 1)
        access = f"{operation} at a.mlir:{name}:1"
        row.append(buffer | {"firstAccess": access, "type": type})
    return {"pools": [make_pool("f", row)], "left": []}


NOTHING = {"pools": [], "left": []}


def list_changes(before, after):
    """Return the changes of buffers, `kind name` each."""
    return [
        f"{buffer['change']} {buffer['name']}"
        for function in report.compare_plans(before, after)["functions"]
        for buffer in function["buffers"]
    ]


class Compare(unittest.TestCase):
    def compare(self, before, after):
        """Return the only function that changed, and the comparison."""
        change = report.compare_plans(before, after)
        self.assertEqual(len(change["functions"]), 1)
        return change["functions"][0], change

    def test_same_plan(self):
        self.assertEqual(
            report.compare_plans(make_plan(), make_plan())["functions"], []
        )

    def test_empty_plans(self):
        self.assertEqual(report.compare_plans(NOTHING, NOTHING)["functions"], [])
        function, change = self.compare(NOTHING, make_plan())
        self.assertNotIn("before", function)
        self.assertEqual(function["after"], 17)
        # It is the program that grew, by a new function.
        self.assertTrue(report.grew(change, 0))
        self.assertFalse(report.grew(self.compare(make_plan(), NOTHING)[1], 0))

    def test_pool_that_vanishes_is_no_gain(self):
        # All four buffers of the pool, 20 bytes, are left alone instead.
        before, after = make_plan(), make_plan()
        for buffer in after["pools"][0]["buffers"]:
            left = make_left(buffer["name"], buffer["size"])
            after["left"][0]["buffers"].append(left)
        after["pools"][0]["reason"] = "no-gain"
        function, change = self.compare(before, after)
        self.assertEqual((function["before"], function["after"]), (17, 25))
        self.assertTrue(report.grew(change, 47))
        self.assertFalse(report.grew(change, 48))
        self.assertEqual(len(function["buffers"]), 4)
        self.assertEqual(function["buffers"][0]["change"], "no-longer-merged")

    def test_several_of_one_name(self):
        before = make_plan()
        for buffer in before["pools"][0]["buffers"]:
            buffer["name"] = "t"
        after = copy.deepcopy(before)
        self.assertEqual(list_changes(before, after), [])
        after["pools"][0]["buffers"].pop()
        self.assertEqual(list_changes(before, after), ["gone t"])

    def test_new_functions_and_the_total(self):
        functions = [{"before": 100, "after": 104}, {"before": 100, "after": 100}]
        functions.append({"after": 4})
        change = {"before": 200, "after": 208, "functions": functions}
        self.assertTrue(report.grew(change, 3.9))
        self.assertFalse(report.grew(change, 4))
        # A function that takes as much as all the others, and one that is gone.
        functions += [{"after": 96}, {"before": 104}]
        self.assertTrue(report.grew(change, 49))
        self.assertFalse(report.grew(change, 50))

    def test_growth_from_nothing(self):
        functions = [{"before": 0, "after": 1}]
        change = {"before": 100, "after": 100, "functions": functions}
        self.assertTrue(report.grew(change, 1000))
        functions[0]["after"] = 0
        self.assertFalse(report.grew(change, 0))

    def test_renamed_buffers_are_the_same(self):
        before = [("%alloc", "fill", "x"), ("%alloc_0", "conv", "y")]
        after = [("%alloc_3", "fill", "x"), ("%alloc", "conv", "y")]
        before = make_program(before + [("%named", "relu", "y")])
        after = make_program(after + [("%other", "relu", "y")])
        self.assertEqual(list_changes(before, after), [])

    def test_one_of_many_equal_buffers_is_new(self):
        # All numbers may have changed, and nothing else tells equal buffers that
        # follow each other apart: one of them is new, by convention the last.
        rows = [(f"%alloc_{i}", "conv" if i == 3 else "add", "x") for i in range(6)]
        before = make_program(rows)
        rows.insert(4, ("%alloc_9", "add", "x"))
        after = make_program(rows)
        self.assertEqual(list_changes(before, after), ["new %alloc_5"])
        self.assertEqual(list_changes(after, before), ["gone %alloc_5"])

    def test_another_shape_is_growth(self):
        before = make_program([("%0", "conv", "1x4"), ("n", "add", "1x4")])
        after = make_program([("%1", "conv", "2x4"), ("n", "add", "2x4")], 8)
        self.assertEqual(list_changes(before, after), ["grew %1", "grew n"])
        self.assertEqual(list_changes(after, before), ["shrank %0", "shrank n"])

    def test_names_come_before_positions(self):
        before = make_program([("a", "add", "x"), ("b", "add", "x")])
        after = make_program([("b", "add", "x"), ("a", "add", "x")])
        before["pools"][0]["buffers"][1]["offset"] = 4
        after["pools"][0]["buffers"][0]["offset"] = 8
        self.assertEqual(list_changes(before, after), ["moved b"])

    def test_renamed_functions_are_the_same(self):
        before, after = make_plan(), make_plan()
        after["pools"][0]["function"] = "g"
        after["left"][0]["buffers"][0]["function"] = "g"
        function, change = self.compare(before, after)
        self.assertEqual((function["function"], function["renamedFrom"]), ("g", "f"))
        self.assertFalse(report.grew(change, 0))


unittest.main()
