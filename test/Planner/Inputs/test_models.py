"""Tests of the readers of models. Those of packages that are not there are skipped."""

import os
import struct
import tempfile
import unittest

import buffer_merge
from buffer_merge.readers.onnx_model import read_onnx
from buffer_merge.readers.tflite import read_tflite, read_tflite_offsets, write_tflite

try:
    import onnx
except ImportError:
    onnx = None
try:
    import flatbuffers
    import flatbuffers.encode
    import flatbuffers.number_types
    import flatbuffers.table
except ImportError:
    flatbuffers = None


@unittest.skipUnless(onnx, "onnx is not there")
class OnnxTest(unittest.TestCase):
    def make_model(self, nodes, dim):
        info = onnx.helper.make_tensor_value_info
        inputs = [info("x", onnx.TensorProto.FLOAT, [dim, 16])]
        outputs = [info("y", onnx.TensorProto.FLOAT, None)]
        weights = [onnx.helper.make_tensor("w", 1, [16, 32], [0.0] * 512)]
        graph = onnx.helper.make_graph(nodes, "g", inputs, outputs, weights)
        return onnx.helper.make_model(graph)

    def test_shapes(self):
        node = onnx.helper.make_node
        nodes = [
            node("MatMul", ["x", "w"], ["a"]),
            node("Relu", ["a"], ["b"]),
            node("Constant", [], ["half"], value_float=0.5),
            node("Add", ["a", "b"], ["c"]),
            node("Cast", ["c"], ["d"], to=onnx.TensorProto.FLOAT16),
            node("Cast", ["d"], ["y"], to=onnx.TensorProto.FLOAT),
        ]
        model = self.make_model(nodes, "batch")
        problem = read_onnx(model, dims={"batch": 4})
        self.assertEqual(problem.names, ["a", "b", "c", "d"])
        self.assertEqual(list(problem.sizes), [512, 512, 512, 256])
        self.assertEqual(list(problem.begins), [0, 1, 3, 4])
        self.assertEqual(list(problem.ends), [4, 4, 5, 6])
        self.assertEqual(buffer_merge.plan(problem).pool_size, 1536)
        with self.assertRaisesRegex(ValueError, "the size of 'a' is not known"):
            read_onnx(model)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(self.make_model(nodes, 4), path)
            self.assertEqual(read_onnx(path).sizes, problem.sizes)

    def test_bodies(self):
        node, info = onnx.helper.make_node, onnx.helper.make_tensor_value_info
        body = onnx.helper.make_graph(
            [node("Relu", ["a"], ["r"])], "body", [], [info("r", 1, [4, 32])]
        )
        nodes = [
            node("MatMul", ["x", "w"], ["a"]),
            node("Relu", ["x"], ["b"]),
            node("If", ["condition"], ["y"], then_branch=body, else_branch=body),
        ]
        model = self.make_model(nodes, 4)
        model.graph.input.append(info("condition", onnx.TensorProto.BOOL, []))
        problem = read_onnx(model)
        self.assertEqual(problem.names, ["a", "b"])
        # A branch reads it.
        self.assertEqual(list(problem.ends), [3, 2])


@unittest.skipUnless(flatbuffers, "flatbuffers is not there")
class TFLiteTest(unittest.TestCase):
    """A model of 4 tensors: 0 is the input, 1 and 2 are computed, 3 has data."""

    def add_vector(self, values, width, prepend):
        builder = self.builder
        builder.StartVector(width, len(values), width)
        for value in reversed(values):
            prepend(value)
        return builder.EndVector()

    def add_table(self, fields):
        """Add a table: fields by number, each an offset or a function that adds one."""
        self.builder.StartObject(9)
        for field, value in fields.items():
            if callable(value):
                value(field)
            else:
                self.builder.PrependUOffsetTRelativeSlot(field, value, 0)
        return self.builder.EndObject()

    def add_tables(self, tables):
        return self.add_vector(tables, 4, self.builder.PrependUOffsetTRelative)

    def make_model(self, metadata=None, first_dim=4):
        self.builder = builder = flatbuffers.Builder(64)

        def int32s(values):
            return self.add_vector(values, 4, builder.PrependInt32)

        def add_tensor(name, shape, kind, buffer):
            shape, name = int32s(shape), builder.CreateString(name)
            return self.add_table(
                {
                    0: shape,
                    1: lambda field: builder.PrependInt8Slot(field, kind, 0),
                    2: lambda field: builder.PrependUint32Slot(field, buffer, 0),
                    3: name,
                }
            )

        weights = self.add_vector(list(b"1234"), 1, builder.PrependUint8)
        buffers = [self.add_table({}), self.add_table({0: weights})]
        tensors = self.add_tables(
            [
                add_tensor("in", [first_dim, 10], 0, 0),
                add_tensor("hidden", [4, 25], 9, 0),
                add_tensor("out", [4, 5], 0, 0),
                add_tensor("weights", [4], 9, 1),
            ]
        )
        operators = []
        for inputs, outputs in (([0, 3, -1], [1]), ([1, 3], [2])):
            inputs, outputs = int32s(inputs), int32s(outputs)
            operators.append(self.add_table({1: inputs, 2: outputs}))
        inputs, outputs = int32s([0]), int32s([2])
        operators = self.add_tables(operators)
        graph = self.add_table({0: tensors, 1: inputs, 2: outputs, 3: operators})
        fields = {
            0: lambda field: builder.PrependUint32Slot(field, 3, 0),
            2: self.add_tables([graph]),
            3: builder.CreateString("a model"),
            4: self.add_tables(buffers),
        }
        if metadata:
            name = builder.CreateString(metadata)
            fields[6] = self.add_tables([self.add_table({0: name})])
        builder.Finish(self.add_table(fields), file_identifier=b"TFL3")
        path = os.path.join(self.folder.name, "model.tflite")
        with open(path, "wb") as file:
            file.write(builder.Output())
        return path

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, "planned.tflite")

    def test_read(self):
        problem = read_tflite(self.make_model())
        self.assertEqual(problem.names, ["0:in", "1:hidden", "2:out"])
        self.assertEqual(list(problem.sizes), [160, 100, 80])
        self.assertEqual(list(problem.begins), [0, 0, 1])
        self.assertEqual(list(problem.ends), [1, 2, 2])
        with self.assertRaisesRegex(ValueError, "the size of '0:in' is not known"):
            read_tflite(self.make_model(first_dim=-1))
        with open(self.output, "wb") as file:
            file.write(b"something else")
        with self.assertRaisesRegex(ValueError, "this is no TFLite model"):
            read_tflite(self.output)

    def test_round_trip(self):
        path = self.make_model(metadata="min_runtime_version")
        self.assertIsNone(read_tflite_offsets(path))
        plan = buffer_merge.plan(read_tflite(path))
        write_tflite(path, plan, self.output)
        self.assertEqual(read_tflite_offsets(self.output), [*plan.offsets, -1])
        self.assertEqual(read_tflite(self.output).names, plan.problem.names)
        # Once more: it replaces the first one.
        again = os.path.join(self.folder.name, "again.tflite")
        other = buffer_merge.verify(plan.problem, [0, 160, 272])
        write_tflite(self.output, other, again)
        self.assertEqual(read_tflite_offsets(again), [0, 160, 272, -1])

        # What the package makes of it.
        with open(again, "rb") as file:
            data = file.read()
        self.assertEqual(data[4:8], b"TFL3")
        uoffset = flatbuffers.number_types.UOffsetTFlags
        root = flatbuffers.encode.Get(uoffset.packer_type, data, 0)
        model = flatbuffers.table.Table(data, root)

        def get_tables(table, field):
            offset = table.Offset(4 + 2 * field)
            start = table.Vector(offset)
            return [
                flatbuffers.table.Table(data, table.Indirect(start + 4 * index))
                for index in range(table.VectorLen(offset))
            ]

        self.assertEqual(
            model.Get(
                flatbuffers.number_types.Uint32Flags, model.Offset(4) + model.Pos
            ),
            3,
        )
        self.assertEqual(model.String(model.Pos + model.Offset(10)), b"a model")
        entries = get_tables(model, 6)
        names = [entry.String(entry.Pos + entry.Offset(4)) for entry in entries]
        self.assertEqual(names, [b"min_runtime_version", b"OfflineMemoryAllocation"])
        index = entries[1].Get(
            flatbuffers.number_types.Uint32Flags, entries[1].Offset(6) + entries[1].Pos
        )
        buffers = get_tables(model, 4)
        self.assertEqual(index, len(buffers) - 1)
        start = buffers[index].Vector(buffers[index].Offset(4))
        # The interpreter reads integers where they are.
        self.assertEqual(start % 16, 0)
        self.assertEqual(
            struct.unpack_from("<7i", data, start), (1, 0, 4, 0, 160, 272, -1)
        )
        start = buffers[1].Vector(buffers[1].Offset(4))
        self.assertEqual(data[start : start + 4], b"1234")
        tensors = get_tables(get_tables(model, 2)[0], 0)
        self.assertEqual(len(tensors), 4)


if __name__ == "__main__":
    unittest.main()
