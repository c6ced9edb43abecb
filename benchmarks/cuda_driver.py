"""Kernels on an NVIDIA GPU, by the CUDA driver alone."""

import ctypes
import random
import re
import struct

POISON = """
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry poison(.param .u32 bytes) {
  .reg .pred %p; .reg .b32 %at, %step, %end, %value;
  ld.param.u32 %end, [bytes];
  mov.u32 %at, %tid.x;
  mov.u32 %step, %ntid.x;
  shl.b32 %at, %at, 2;
  shl.b32 %step, %step, 2;
  mov.b32 %value, 0xffffffff;
  .reg .b32 %address, %base;
  mov.u32 %base, memory;
next:
  setp.ge.u32 %p, %at, %end;
  @%p bra done;
  add.u32 %address, %base, %at;
  st.shared.b32 [%address], %value;
  add.u32 %at, %at, %step;
  bra next;
done:
  ret;
}
"""
# Numbers of the driver's interface.
MAX_SHARED_OPTIN, MULTIPROCESSORS, FUNCTION_DYNAMIC_SHARED = 97, 16, 8
DYNAMIC_SIZE = 64
INDEX_ARGUMENT = 2
LAUNCHES = 100
FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d", "i8": "<b", "i32": "<i", "i64": "<q"}


class DriverError(Exception):
    """A call of the driver failed."""


def open_driver():
    """Return the driver of the first GPU, or None and why there is none."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None, "there is no CUDA driver"
    try:
        return Driver(library), ""
    except DriverError as error:
        return None, f"there is no GPU ({error})"


class Driver:
    def __init__(self, library):
        self.library = library
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.shared = self.get_attribute(device, MAX_SHARED_OPTIN)
        self.processors = self.get_attribute(device, MULTIPROCESSORS)
        self.poison = self.load(POISON, "poison")
        self.call("cuFuncSetAttribute", self.poison, FUNCTION_DYNAMIC_SHARED, self.shared)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'unknown').decode()}")

    def get_attribute(self, device, number):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value

    def load(self, ptx, name):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def launch(self, function, grid, block, values, shared=0):
        pointers = (ctypes.c_void_p * len(values))(
            *(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values))
        self.call("cuLaunchKernel", function, grid, 1, 1, *block, shared, None, pointers, None)

    def poison_shared_memory(self):
        """Fill the shared memory of every multiprocessor with NaNs."""
        self.launch(self.poison, 4 * self.processors, (1024, 1, 1),
                    [ctypes.c_uint32(self.shared)], self.shared)

    def count_workgroups(self, function, block):
        count = ctypes.c_int()
        self.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(count), function,
                  block[0] * block[1] * block[2], ctypes.c_size_t(0))
        return count.value

    def measure(self, function, grid, block, values):
        """Return the microseconds of one launch of many."""
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", events[0], None)
        for _ in range(LAUNCHES):
            self.launch(function, grid, block, values)
        self.call("cuEventRecord", events[1], None)
        self.call("cuEventSynchronize", events[1])
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
        return round(1000 * milliseconds.value / LAUNCHES, 2)

    def make_arguments(self, signature):
        """Return the values of a kernel's parameters, and its memory: random numbers from a
        fixed seed. A memref is its parts, as MLIR passes it."""
        numbers, values, memory = random.Random(0), [], []
        for kind in re.findall(r"%\w+: (memref<[^>]*>|\w+)", signature):
            if not kind.startswith("memref<"):
                values.append(ctypes.c_float(numbers.random()) if kind == "f32"
                              else ctypes.c_int64(INDEX_ARGUMENT))
                continue
            *sizes, element = kind[7:-1].split(",")[0].split("x")
            if element not in FORMATS and element != "index":
                raise DriverError(f"no values for {kind}")
            sizes = [DYNAMIC_SIZE if size == "?" else int(size) for size in sizes]
            strides, count = [], 1
            for size in reversed(sizes):
                strides.insert(0, count)
                count *= size
            form = FORMATS.get(element, "<q")
            data = b"".join(
                struct.pack(form, numbers.random() if form in ("<e", "<f", "<d") else INDEX_ARGUMENT)
                for _ in range(count))
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
            self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
            memory.append((pointer, len(data)))
            values += [pointer, pointer, ctypes.c_int64(0)]
            values += [ctypes.c_int64(number) for number in sizes + strides]
        return values, memory

    def run(self, ptx, name, signature, grid, block):
        """Return the memory after one launch, the workgroups per multiprocessor and the
        microseconds of a launch."""
        function = self.load(ptx, name)
        values, memory = self.make_arguments(signature)
        self.poison_shared_memory()
        self.launch(function, grid, block, values)
        self.call("cuCtxSynchronize")
        result = []
        for pointer, size in memory:
            data = ctypes.create_string_buffer(size)
            self.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
            result.append(data.raw)
        numbers = (self.count_workgroups(function, block),
                   self.measure(function, grid, block, values))
        for pointer, _ in memory:
            self.call("cuMemFree_v2", pointer)
        return result, *numbers

    def compare(self, before, after, name, signature, text, grid):
        """Run a kernel as two PTX modules have it; return the rest of its row."""
        known = re.search(rf"@{name}\(.*?known_block_size = array<i32: (\d+), (\d+), (\d+)>", text)
        block = tuple(map(int, known.groups())) if known else (32, 32, 1)
        try:
            old = self.run(before, name, signature, grid, block)
            new = self.run(after, name, signature, grid, block)
        except DriverError as error:
            return [f"not run: {error}", "", "", "", ""]
        return ["yes" if old[0] == new[0] else "no", old[1], new[1], old[2], new[2]]
