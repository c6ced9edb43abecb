"""Tests of the Python package: python3 -m unittest test_buffer_merge, with the package
in PYTHONPATH."""

import doctest
import json
import os
import random
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import buffer_merge
from buffer_merge.readers import (
    read_plan,
    read_report,
    read_runtime_pools,
    read_table,
)

try:
    import numpy
except ImportError:
    numpy = None


def make_random(seed, count):
    generator = random.Random(seed)
    begins = [generator.randrange(count) for _ in range(count)]
    return buffer_merge.Problem(
        [generator.randrange(1, 1000) for _ in range(count)],
        begins,
        [begin + generator.randrange(1, 12) for begin in begins],
        alignments=[1 << generator.randrange(7) for _ in range(count)],
    )


class PlanTest(unittest.TestCase):
    def setUp(self):
        self.problem = buffer_merge.Problem([100, 40, 60], [0, 1, 2], [2, 3, 4])

    def test_documentation(self):
        failed, attempted = doctest.testmod(buffer_merge)
        self.assertGreater(attempted, 0)
        self.assertEqual(failed, 0)

    def test_plan(self):
        plan = buffer_merge.plan(self.problem)
        self.assertEqual(plan.pool_size, 140)
        self.assertEqual(plan.lower_bound, 140)
        self.assertEqual(plan.peak_tick, 1)
        self.assertEqual(plan.proved_bound, 140)
        self.assertEqual(plan.total_bytes, 200)
        self.assertTrue(plan.is_optimal)
        self.assertIsInstance(plan.offsets, list)
        self.assertEqual(repr(plan), "Plan(3 buffers, pool 140, optimal)")
        self.assertEqual(buffer_merge.get_lower_bound(self.problem), 140)
        self.assertEqual(buffer_merge.plan(buffer_merge.Problem([], [], [])).offsets, [])

    def test_disjoint(self):
        for seed in range(10):
            problem = make_random(seed, 40)
            plan = buffer_merge.plan(problem)
            places = list(
                zip(problem.begins, problem.ends, plan.offsets, problem.sizes)
            )
            for index, (begin, end, offset, size) in enumerate(places):
                self.assertEqual(offset % problem.alignments[index], 0)
                for begin2, end2, offset2, size2 in places[:index]:
                    self.assertFalse(
                        begin < end2
                        and begin2 < end
                        and offset < offset2 + size2
                        and offset2 < offset + size
                    )

    def test_everything_in_a_problem(self):
        columns = ([100, 100], [0, 1], [2, 3])
        plan = buffer_merge.plan
        problem = buffer_merge.Problem
        self.assertEqual(plan(problem(*columns, in_place=[(0, 1, True)])).pool_size, 100)
        self.assertEqual(plan(problem(*columns, fixed_offsets=[64, None])).offsets[0], 64)
        self.assertEqual(plan(problem(*columns, alignments=32)).pool_size, 228)
        apart = ([100, 100], [0, 3], [9, 5])
        self.assertEqual(plan(problem(*apart, gaps=[(0, 3, 6)])).pool_size, 100)
        follow = ([100, 90], [0, 5], [5, 9])
        self.assertEqual(plan(problem(*follow)).pool_size, 100)
        self.assertEqual(plan(problem(*follow, conflicts=[(1, 0)])).pool_size, 190)
        placed = problem(*follow, same_places=[(0, 1)], fixed_offsets=[None, 64])
        self.assertEqual(plan(placed).offsets, [64, 64])

    def test_schedulers(self):
        schedulers = buffer_merge.get_schedulers()
        self.assertIn("auto", schedulers)
        for name in schedulers:
            self.assertGreaterEqual(
                buffer_merge.plan(self.problem, scheduler=name, effort=0).pool_size, 140
            )
        self.assertRegex(buffer_merge.get_version(), r"^\d+\.\d+\.\d+$")

    def test_errors(self):
        plan = buffer_merge.plan
        with self.assertRaisesRegex(
            buffer_merge.InvalidProblem, "buffer 1: size -1 is not positive"
        ):
            plan([1, -1], begins=[0, 0], ends=[1, 1])
        with self.assertRaisesRegex(ValueError, "alignment 48 is not a power of two"):
            plan([1], begins=[0], ends=[1], alignments=48)
        with self.assertRaisesRegex(ValueError, "begins has 1 entries, sizes has 2"):
            plan([1, 1], begins=[0], ends=[1, 1])
        with self.assertRaisesRegex(OverflowError, "sizes: "):
            plan([1 << 70], begins=[0], ends=[1])
        with self.assertRaisesRegex(TypeError, "sizes: "):
            plan([1.5], begins=[0], ends=[1])
        with self.assertRaisesRegex(TypeError, "gaps.0. has 2 numbers, not 3"):
            plan([1], begins=[0], ends=[9], gaps=[(0, 2)])
        with self.assertRaisesRegex(ValueError, "the nearest is 'best-fit'"):
            plan(self.problem, scheduler="best-fti")
        with self.assertRaisesRegex(ValueError, "effort 10 is not in"):
            plan(self.problem, effort=10)
        with self.assertRaises(OverflowError):
            plan(self.problem, effort=1 << 64)
        with self.assertRaisesRegex(ValueError, "capacity 0"):
            plan([1], begins=[0], ends=[9], capacity=0)
        with self.assertRaisesRegex(TypeError, "has its columns already"):
            plan(self.problem, begins=[0])
        with self.assertRaises(buffer_merge.OverCapacity) as raised:
            plan([100, 40], begins=[0, 0], ends=[1, 1], capacity=139)
        self.assertEqual(raised.exception.proved_bound, 140)

    def test_verify(self):
        plan = buffer_merge.verify(self.problem, [0, 100, 0])
        self.assertEqual(plan.pool_size, 140)
        with self.assertRaisesRegex(buffer_merge.InvalidPlan, "buffers 0 and 1 share"):
            buffer_merge.verify(self.problem, [0, 99, 0])
        with self.assertRaisesRegex(buffer_merge.InvalidPlan, "2 offsets for 3 buffers"):
            buffer_merge.verify(self.problem, [0, 100])

    def test_compare(self):
        names = ["a", "b", "c"]
        before = buffer_merge.verify(
            buffer_merge.Problem([8, 8, 8], [0, 0, 0], [1, 1, 1], names=names), [0, 8, 16]
        )
        names = ["b", "c", "d"]
        after = buffer_merge.verify(
            buffer_merge.Problem([9, 8, 8], [0, 0, 0], [1, 1, 1], names=names), [0, 9, 17]
        )
        comparison = buffer_merge.compare(before, after)
        self.assertEqual(
            str(comparison),
            "pool 24 -> 25\nb grew 8 -> 9\nc moved 16 -> 9\nd new 8\na gone 8",
        )
        self.assertIn("24 -&gt; 25", comparison._repr_html_())

    def test_map(self):
        problem = buffer_merge.Problem(
            [100, 40], [0, 3], [9, 5], gaps=[(0, 3, 6)], names=["<a>", "b"]
        )
        html = buffer_merge.plan(problem)._repr_html_()
        svg = xml.etree.ElementTree.fromstring(html[html.index("<svg") :])
        self.assertEqual(len(svg), 3)
        self.assertIn("<a>: ticks 0 to 9, bytes 0 to 100", svg[0][0].text)
        empty = buffer_merge.plan(buffer_merge.Problem([], [], []))
        xml.etree.ElementTree.fromstring(empty.to_svg())

    def test_threads(self):
        problems = [make_random(seed, 30) for seed in range(8)]
        expected = [buffer_merge.plan(problem).offsets for problem in problems]
        found = [None] * 8

        def work(first):
            order = [(first + index) % 8 for index in range(8)]
            offsets = {index: buffer_merge.plan(problems[index]).offsets for index in order}
            found[first] = [offsets[index] for index in range(8)]

        threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 8)

    @unittest.skipUnless(numpy, "numpy is not there")
    def test_numpy(self):
        columns = (
            numpy.array([100, 40, 60]),
            numpy.array([0, 1, 2], dtype=numpy.int32),
            numpy.array([9, 2, 0, 3, 0, 4])[1::2],
        )
        plan = buffer_merge.plan(buffer_merge.Problem(*columns))
        self.assertIsInstance(plan.offsets, numpy.ndarray)
        self.assertEqual(plan.offsets.dtype, numpy.int64)
        self.assertEqual(
            plan.offsets.tolist(), buffer_merge.plan(self.problem).offsets
        )
        verified = buffer_merge.verify(plan.problem, plan.offsets)
        self.assertEqual(verified.pool_size, 140)
        with self.assertRaises(TypeError):
            buffer_merge.Problem(numpy.array([1.5]), [0], [1])
        with self.assertRaises(TypeError):
            buffer_merge.Problem(numpy.array([[1], [2]]), [0], [1])


class ReaderTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        path = os.path.join(self.folder.name, "input")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_minimalloc(self):
        problem = read_table(self.write("id,lower,upper,size\na,0,2,100\nb,1,3,40\n"))
        self.assertEqual(problem.names, ["a", "b"])
        self.assertEqual(buffer_merge.plan(problem).pool_size, 140)
        # The last tick, and other separators and names.
        problem = read_table(
            self.write("\ufeff# a table\nBuffer; Start; End; Size\na; 0; 1; 100\n")
        )
        self.assertEqual(list(problem.ends), [2])

    def test_columns(self):
        path = self.write(
            "id,lower,upper,size,alignment,offset,gaps,conflicts,in-place,in-place-any\n"
            "a,-3,9,100,4,0,-1-5 6-7,,,\n"
            "e,0,9,0,1,,,,,\n"
            "b,3,5,64,1,0,,,,\n"
            'c,8,12,90,1,100,,b e,"a",\n'
            "d,11,13,90,1,100,,,,c\n"
        )
        problem = read_table(path, fix_offsets=True, capacity=190)
        self.assertEqual(list(problem.sizes), [100, 64, 90, 90])
        self.assertEqual(list(problem.alignments), [4, 1, 1, 1])
        self.assertEqual(list(problem.fixed_offsets), [0, 0, 100, 100])
        self.assertEqual(list(problem.gaps), [0, -1, 5, 0, 6, 7])
        self.assertEqual(list(problem.conflicts), [2, 1])
        self.assertEqual(list(problem.in_place), [0, 2, 0, 2, 3, 1])
        self.assertEqual(problem.capacity, 190)
        self.assertEqual(read_plan(path).pool_size, 190)
        self.assertEqual(list(read_table(path).fixed_offsets), [-1] * 4)

    def test_json(self):
        rows = [
            {"id": "a", "lower": 0, "upper": 9, "size": 100, "gaps": "3-5", "offset": 0},
            {"id": "b", "lower": 3, "upper": 5, "size": 64, "offset": 0},
        ]
        plan = read_plan(self.write(json.dumps({"version": 1, "buffers": rows})))
        self.assertEqual(plan.pool_size, 100)

    def test_report(self):
        buffers = [
            {"name": "a", "size": 100, "alignment": 1, "begin": 0, "end": 9, "offset": 0},
            {"name": "b", "size": 90, "alignment": 1, "begin": 8, "end": 12, "offset": 0},
        ]
        buffers[1]["inPlaceOf"] = [0]
        report = {"pools": [{"scope": "func.func", "function": "f", "buffers": buffers}]}
        plans = read_report(self.write(json.dumps(report)))
        self.assertEqual({name: plan.pool_size for name, plan in plans.items()}, {"f/1": 100})
        del buffers[1]["inPlaceOf"]
        with self.assertRaises(buffer_merge.InvalidPlan):
            read_report(self.write(json.dumps(report)))

    def test_runtime_pools(self):
        formula = "max(64 * dim(arg0, 1), roundup(4 * arg2 + 1) * 2, min(7, 256))"
        report = {"runtimePools": [
            {"function": "f", "bytes": formula, "alignment": 64},
            {"function": "g", "bytes": "max(4 * dim(arg0, 1), 256)"},
        ]}
        pools = read_runtime_pools(self.write(json.dumps(report)))
        self.assertEqual(pools["f/1"].names, ["dim(arg0, 1)", "arg2"])
        self.assertEqual(pools["f/1"].bytes({"dim(arg0, 1)": 1, "arg2": 16}), 256)
        self.assertEqual(pools["f/1"].bytes({"dim(arg0, 1)": 512}, arg2=0), 32768)
        self.assertEqual(pools["f/1"].bytes({"dim(arg0, 1)": 0, "arg2": 0}), 128)
        self.assertEqual(pools["g/2"].bytes(seq=512), 2048)
        self.assertEqual(pools["g/2"].bytes({"dim(arg0, 1)": 3}), 256)
        for values in ({}, {"arg1": 3}, {"dim(arg0, 1)": -1}):
            with self.assertRaises(ValueError):
                pools["g/2"].bytes(values)
        with self.assertRaises(ValueError):
            buffer_merge.RuntimePool("__import__('os').getpid()").bytes()

    def test_errors(self):
        for text, message in (
            ("id,lower,upper\na,0,1\n", "column 'size' is missing"),
            ("", "names of the columns is missing"),
            ("id,lower,upper,size\na,0,1\n", "3 fields instead of 4"),
            ("id,lower,upper,size\na,0,1,5\na,0,1,5\n", "an id is there twice"),
            ("id,lower,upper,size,conflicts\na,0,1,5,b\n", "there is no id 'b'"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                read_table(self.write(text))
        with self.assertRaisesRegex(ValueError, "'a' has no offset"):
            read_plan(self.write("id,lower,upper,size\na,0,1,5\n"))


if __name__ == "__main__":
    unittest.main()
