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
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

struct Request {
  uint32_t argumentBytes, environmentBytes, folderBytes;
};

// Fill in an address without a file, which goes away with the server, for the
// one of `name` that runs `program`. Return its size.
static inline socklen_t getAddress(const char *name, const char *program,
                                   struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "%s/%s", name,
           program);
  return offsetof(struct sockaddr_un, sun_path) + 1 +
         strlen(address->sun_path + 1);
}
