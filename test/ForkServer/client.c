//===- Have a fork server run a program ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Run PROGRAM, which the build defines, as its fork server does, one of those that
// the environment variable BUFFER_MERGE_FORK_SERVER names: with this process's
// arguments, environment, folder and standard streams. End as it does. Without
// a server, or under a limit of memory, which a fork would not have, run
// PROGRAM itself.

#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

// Append `strings` to `*bytes`, which has `size` bytes. Return its new size.
static size_t append(char **strings, char **bytes, size_t size) {
  for (; *strings; ++strings) {
    size_t length = strlen(*strings) + 1;
    *bytes = realloc(*bytes, size + length);
    memcpy(*bytes + size, *strings, length);
    size += length;
  }
  return size;
}

static int sendAll(int connection, const char *bytes, size_t size) {
  while (size) {
    ssize_t count = send(connection, bytes, size, MSG_NOSIGNAL);
    if (count < 0)
      return 0;
    bytes += count;
    size -= count;
  }
  return 1;
}

// Return a connection to the server at `name`, or -1.
static int connectTo(const char *name) {
  struct rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
    return -1;
  struct sockaddr_un address;
  socklen_t size = getAddress(name, strrchr(PROGRAM, '/') + 1, &address);
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, size))
    return -1;
  return connection;
}

// Have the server run its program. Return 0 if it does not say how that ended.
static int run(int connection, char **arguments, int *status) {
  char *bytes = NULL, folder[4096];
  char *folders[] = {folder, NULL};
  if (!getcwd(folder, sizeof folder))
    return 0;
  struct Request request;
  size_t size = append(arguments, &bytes, 0);
  request.argumentBytes = size;
  size = append(environ, &bytes, size);
  request.environmentBytes = size - request.argumentBytes;
  size = append(folders, &bytes, size);
  request.folderBytes = strlen(folder) + 1;

  int streams[3] = {0, 1, 2};
  char control[CMSG_SPACE(sizeof streams)];
  memset(control, 0, sizeof control);
  struct iovec part = {&request, sizeof request};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof streams);
  memcpy(CMSG_DATA(header), streams, sizeof streams);
  return sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof request &&
         sendAll(connection, bytes, size) &&
         recv(connection, status, sizeof *status, MSG_WAITALL) ==
             sizeof *status;
}

int main(int argc, char **argv) {
  (void)argc;
  argv[0] = PROGRAM;
  const char *name = getenv("BUFFER_MERGE_FORK_SERVER");
  int connection = name ? connectTo(name) : -1;
  if (connection < 0) {
    execv(PROGRAM, argv);
    perror(PROGRAM);
    return 127;
  }
  int status;
  if (!run(connection, argv, &status)) {
    fprintf(stderr, "%s: its fork server has gone away\n", PROGRAM);
    return 126;
  }
  if (WIFSIGNALED(status)) {
    // Its process has written the core file, if there is one.
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  return WEXITSTATUS(status);
}
