//===- One remark at a time -------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_REMARKLOCK_H
#define BUFFER_MERGE_LIB_REPORT_REMARKLOCK_H

#include <mutex>

namespace buffer_merge {
/// Return the lock that whoever emits remarks must hold: in 22.1 the streamers
/// of the remark engine do not expect two threads. Of functions that are
/// processed at the same time, remarks would be lost or torn.
std::mutex &getRemarkMutex();
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_REMARKLOCK_H
