//===- What a client and its fork server say -----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a client sends: the numbers of bytes of its environment, arguments and
// folder, then these, each string with its final zero, beside its three
// standard streams. It gets back the status of waitpid(2).

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

struct Request {
  uint32_t argumentBytes, environmentBytes, folderBytes;
};

// Fill in an address without a file, which goes away with the server. Return
// its size.
static inline socklen_t getAddress(const char *name,
                                   struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  strncpy(address->sun_path + 1, name, sizeof address->sun_path - 2);
  return offsetof(struct sockaddr_un, sun_path) + 1 +
         strlen(address->sun_path + 1);
}
