//===- MyDialect.h - A dialect with the interfaces --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MY_DIALECT_H
#define MY_DIALECT_H

#include "buffer-merge/Analysis/InPlace.h"
#include "buffer-merge/Analysis/RegionExecution.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "MyDialect.h.inc"

#define GET_OP_CLASSES
#include "MyOps.h.inc"

#endif // MY_DIALECT_H
