"""The weights of a network in an ONNX file, as arrays of numpy.

Reads what a file of this kind holds and no more: tensors in 32-bit floats or unsigned bytes, and the weights
of dense layers in blocks of 32 values of 4 bits (MatMulNBits of ONNX Runtime, without zero points: 8 is
zero). The field numbers are those of onnx.proto.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 32
_FLOAT, _BYTE = 1, 2


def read(path: Path) -> dict[str, NDArray[Any]]:
    """The tensors by name; the weight of a dense layer beside its bias, as `<name>.weight` by (in, out).

    Raises OSError, and ValueError for a file of another form.
    """
    graph = next(value for number, value in _fields(memoryview(path.read_bytes())) if number == 7)
    tensors: dict[str, NDArray[Any]] = {}
    nodes: list[tuple[str, list[str], list[str]]] = []
    for number, value in _fields(graph):
        if number == 5:
            name, tensor = _tensor(value)
            tensors[name] = tensor
        elif number == 1:
            nodes.append(_node(value))
    products = {outputs[0]: inputs for operation, inputs, outputs in nodes if operation == "MatMulNBits"}
    for operation, inputs, _ in nodes:
        product = next((name for name in inputs if name in products), None)
        bias = next((name for name in inputs if name.endswith(".bias")), None)
        if operation == "Add" and product and bias:
            packed, scales = products[product][1:3]
            tensors[bias.removesuffix("bias") + "weight"] = _unpacked(tensors[packed], tensors[scales])
    return {name: tensor for name, tensor in tensors.items() if not name.startswith("onnx::")}


def _unpacked(packed: NDArray[Any], scales: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    outputs = packed.shape[0]
    values = np.empty((outputs, packed.shape[1], _BLOCK), dtype=np.float32)
    values[..., 0::2] = packed & 0xF
    values[..., 1::2] = packed >> 4
    values = (values - 8) * scales.reshape(outputs, -1, 1)
    return np.ascontiguousarray(values.reshape(outputs, -1).T)


def _tensor(message: memoryview) -> tuple[str, NDArray[Any]]:
    import numpy as np

    name, kind, dimensions = "", 0, list[int]()
    raw, floats, integers = memoryview(b""), memoryview(b""), list[int]()
    for number, value in _fields(message):
        if number == 1:
            dimensions += [value] if isinstance(value, int) else _varints(value)
        elif number == 2:
            kind = value
        elif number == 4:
            floats = value
        elif number == 5:
            integers += [value] if isinstance(value, int) else _varints(value)
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            raw = value
    if kind not in (_FLOAT, _BYTE):
        return name, np.zeros(0, dtype=np.float32)
    if integers:
        return name, np.array(integers, dtype=np.uint8).reshape(dimensions)
    data = raw if len(raw) else floats
    return name, np.frombuffer(data, dtype="<f4" if kind == _FLOAT else np.uint8).reshape(dimensions)


def _node(message: memoryview) -> tuple[str, list[str], list[str]]:
    operation, inputs, outputs = "", list[str](), list[str]()
    for number, value in _fields(message):
        if number == 1:
            inputs.append(bytes(value).decode())
        elif number == 2:
            outputs.append(bytes(value).decode())
        elif number == 4:
            operation = bytes(value).decode()
    return operation, inputs, outputs


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a protocol-buffer message: number, and an int or the bytes."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        kind = tag & 7
        if kind == 0:
            value, place = _varint(message, place)
            yield tag >> 3, value
            continue
        if kind == 2:
            length, place = _varint(message, place)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("no message of protocol buffers")
        yield tag >> 3, message[place : place + length]
        place += length


def _varints(message: memoryview) -> list[int]:
    values, place = list[int](), 0
    while place < len(message):
        value, place = _varint(message, place)
        values.append(value)
    return values


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            return value, place
        shift += 7
