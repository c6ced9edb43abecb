//===- CInterface.cpp - Functions as C sees them --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convention is that of `llvm.emit_c_interface`: memrefs are pointers to
// descriptors, and results that are not one number are written through a
// pointer in front of the arguments.
//
//===----------------------------------------------------------------------===//

#include "CInterface.h"
#include "Analysis/ArgumentSizes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::string buffer_merge::toComment(StringRef text) {
  std::string comment = llvm::json::fixUTF8(text);
  // An asterisk may be half of what begins or ends a comment.
  for (char &c : comment)
    if (c == '*' || uint8_t(c) < ' ' || c == '\x7f')
      c = '_';
  return comment;
}

static std::string printToText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Return the type in C of an element of a memref; empty if there is none.
/// Formats of numbers that C does not have are as many bits.
static std::string getElementType(Type type) {
  if (type.isIndex())
    return "intptr_t";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "uint8_t";
  if (!type.isIntOrFloat())
    return "";
  unsigned width = type.getIntOrFloatBitWidth();
  if (width != 8 && width != 16 && width != 32 && width != 64)
    return "";
  bool isUnsigned = isa<FloatType>(type) || type.isUnsignedInteger();
  return llvm::formatv("{0}int{1}_t", isUnsigned ? "u" : "", width);
}

/// Return the type in C of a number that is passed as such; empty if it is
/// passed in another way than C does, or is none.
static std::string getNumberType(Type type) {
  if (type.isIndex() || type.isF32() || type.isF64() || type.isInteger(32) ||
      type.isInteger(64))
    return getElementType(type);
  return "";
}

/// Return the name of the struct of descriptors of `type`; empty if there is
/// none.
static std::string getStructName(MemRefType type) {
  Type element = type.getElementType();
  if (getElementType(element).empty())
    return "";
  return llvm::formatv("MemRef{0}D_{1}", type.getRank(), printToText(element));
}

/// Return the type in C of an argument or a result; empty if there is none.
static std::string getValueType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return getStructName(memref);
  return getNumberType(type);
}

void CInterfacePrinter::printStruct(MemRefType type) {
  std::string name = getStructName(type);
  if (!structs.insert(name).second)
    return;
  std::string guard = "BUFFER_MERGE_" + StringRef(name).upper();
  std::string element = getElementType(type.getElementType());
  os << "\n#ifndef " << guard << "\n#define " << guard
     << "\ntypedef struct {\n  " << element
     << " *allocated, *aligned;\n  intptr_t offset";
  if (int64_t rank = type.getRank(); rank != 0)
    os << ", sizes[" << rank << "], strides[" << rank << "]";
  os << ";\n} " << name << ";\n#endif\n";
}

/// Print what initializes a descriptor of memory that has the shape of `type`:
/// a macro with the memory and the sizes that are not known as parameters.
static void printDescriptor(llvm::raw_ostream &os, MemRefType type,
                            StringRef macro) {
  // With other layouts, it depends on where the memory is a part of another.
  if (!type.getLayout().isIdentity())
    return;
  int64_t rank = type.getRank();
  std::string parameters = "data";
  SmallVector<std::string> sizes;
  for (auto [dimension, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(std::to_string(size));
      continue;
    }
    std::string name = "size" + std::to_string(dimension);
    parameters += ", " + name;
    sizes.push_back("(intptr_t)(" + name + ")");
  }
  if (type.hasStaticShape() && rank != 0)
    os << "#define " << macro << "_SHAPE {" << llvm::join(sizes, ", ") << "}\n";
  os << "#define " << macro << "_DESCRIPTOR(" << parameters
     << ") {(data), (data), 0";
  SmallVector<std::string> strides(rank, "1");
  int64_t known = 1;
  std::string unknown;
  for (int64_t i = rank; i-- > 0;) {
    strides[i] = std::to_string(known) + unknown;
    if (type.isDynamicDim(i))
      unknown += " * " + sizes[i];
    else
      known *= type.getDimSize(i);
  }
  if (rank != 0)
    os << ", {" << llvm::join(sizes, ", ") << "}, {"
       << llvm::join(strides, ", ") << "}";
  os << "}\n";
}

void CInterfacePrinter::print(func::FuncOp function, const CNames &names,
                              StringRef arena, bool ofRunTime) {
  StringRef symbol = function.getSymName();
  auto refuse = [&](const Twine &reason) {
    os << "\n/* " << toComment(symbol)
       << " has no prototype: " << toComment(reason.str()) << " */\n";
  };
  if (!isIdentifier(symbol))
    return refuse("C has no such name");
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (getValueType(type).empty())
      return refuse("no type of C is passed as " + printToText(type));

  SmallVector<std::string> parameters;
  std::string result = "void";
  std::string results;
  if (function.getNumResults() == 1) {
    Type type = function.getResultTypes().front();
    if (isa<MemRefType>(type))
      parameters.push_back(getValueType(type) + " *result");
    else
      result = getValueType(type);
  } else if (function.getNumResults() > 1) {
    for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
      results +=
          llvm::formatv("  {0} result_{1};\n", getValueType(type), number);
    parameters.push_back((symbol + "_results *results").str());
  }
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (auto memref = dyn_cast<MemRefType>(type))
      printStruct(memref);
  for (auto [type, name] :
       llvm::zip_equal(function.getArgumentTypes(), names.arguments))
    parameters.push_back(getValueType(type) +
                         (isa<MemRefType>(type) ? " *" : " ") + name);
  auto arenaType = MemRefType::get({ShapedType::kDynamic},
                                   IntegerType::get(function.getContext(), 8));
  if (!arena.empty()) {
    printStruct(arenaType);
    parameters.push_back(getStructName(arenaType) + " *arena");
  }

  os << "\n/* The C interface of " << symbol
     << ": llvm.emit_c_interface, or --llvm-request-c-wrappers */\n";
  if (!results.empty())
    os << "typedef struct {\n" << results << "} " << symbol << "_results;\n";
  os << "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
     << result << " _mlir_ciface_" << symbol << "("
     << (parameters.empty() ? "void" : llvm::join(parameters, ", ")) << ");\n";
  for (auto [type, name] :
       llvm::zip_equal(function.getArgumentTypes(), names.arguments))
    if (auto memref = dyn_cast<MemRefType>(type))
      printDescriptor(os, memref, names.macro + "_" + StringRef(name).upper());
  if (!arena.empty())
    os << "#define " << arena << "_DESCRIPTOR(data"
       << (ofRunTime ? ", size0" : "")
       << ") {(int8_t *)(data), (int8_t *)(data), 0, {"
       << (ofRunTime ? "(intptr_t)(size0)" : (arena + "_BYTES").str())
       << "}, {1}}\n";
}

void CInterfacePrinter::printSizeQuery(func::FuncOp function,
                                       const CNames &names, StringRef query,
                                       std::optional<unsigned> arena) {
  if (!isIdentifier(query))
    return;
  SmallVector<std::string> parameters;
  for (ArgumentSize size : getArgumentSizes(function, arena)) {
    std::string &name =
        parameters.emplace_back("intptr_t " + names.arguments[size.argument]);
    if (size.dimension)
      name += "_size" + std::to_string(*size.dimension);
  }
  os << "\n/* The bytes of its arena */\n"
     << "#ifdef __cplusplus\nextern \"C\"\n#endif\nintptr_t " << query << "("
     << llvm::join(parameters, ", ") << ");\n";
}
