//===- Start a program once, and fork it ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Preloaded into a program, makes it a server that forks itself for each client
// where it would enter `main`: when its shared libraries are loaded and
// relocated, which takes longer than most tests (the fork server of AFL:
// Zalewski, "Fuzzing random programs without execve()", 2014).
// BUFFER_MERGE_FORK_SERVER names its address. It ends with its parent.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

typedef int Main(int, char **, char **);

enum { MaxClients = 256 };
static Main *programMain;
static struct pollfd polled[MaxClients + 2];
static pid_t children[MaxClients + 2];
static int wakePipe[2];

static void wake(int signal) {
  (void)signal;
  int error = errno;
  ssize_t ignored = write(wakePipe[1], "", 1);
  (void)ignored;
  errno = error;
}

static int readAll(int file, char *bytes, size_t size) {
  while (size) {
    ssize_t count = read(file, bytes, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return 0;
    bytes += count;
    size -= count;
  }
  return 1;
}

// Divide `bytes` into its strings; a null pointer ends the result.
static char **getStrings(char *bytes, size_t size, int *count) {
  *count = 0;
  for (size_t i = 0; i < size; ++i)
    *count += !bytes[i];
  char **strings = calloc(*count + 1, sizeof *strings);
  for (int i = 0; i < *count; ++i, bytes += strlen(bytes) + 1)
    strings[i] = bytes;
  return strings;
}

// Run `main` as the client of `connection` would. Does not return.
static void runFor(int connection) {
  struct Request request;
  int streams[3];
  char control[CMSG_SPACE(sizeof streams)];
  struct iovec part = {&request, sizeof request};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = sizeof control};
  if (recvmsg(connection, &message, MSG_WAITALL) != sizeof request)
    _exit(126);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS)
    _exit(126);
  memcpy(streams, CMSG_DATA(header), sizeof streams);

  size_t size = (size_t)request.argumentBytes + request.environmentBytes +
                request.folderBytes;
  // Never freed: the program's arguments and its environment.
  char *bytes = malloc(size);
  if (!readAll(connection, bytes, size))
    _exit(126);
  close(connection);
  for (int i = 0; i < 3; ++i)
    dup2(streams[i], i);
  for (int i = 0; i < 3; ++i)
    if (streams[i] > 2)
      close(streams[i]);

  int argc, envc;
  char **argv = getStrings(bytes, request.argumentBytes, &argc);
  bytes += request.argumentBytes;
  environ = getStrings(bytes, request.environmentBytes, &envc);
  bytes += request.environmentBytes;
  if (chdir(bytes))
    _exit(126);
  exit(programMain(argc, argv, environ));
}

// Tell the clients whose program has ended how it did.
static nfds_t reap(nfds_t count) {
  char ignored[64];
  ssize_t drained = read(wakePipe[0], ignored, sizeof ignored);
  (void)drained;
  int status;
  for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;)
    for (nfds_t i = 2; i < count; ++i)
      if (children[i] == child) {
        ssize_t written =
            send(polled[i].fd, &status, sizeof status, MSG_NOSIGNAL);
        (void)written;
        close(polled[i].fd);
        --count;
        polled[i] = polled[count];
        children[i] = children[count];
        break;
      }
  return count;
}

static void serve(int listener) {
  struct sigaction onChild = {.sa_handler = wake, .sa_flags = SA_RESTART},
                   before;
  if (pipe(wakePipe) || sigaction(SIGCHLD, &onChild, &before))
    _exit(126);
  polled[0] = (struct pollfd){.fd = wakePipe[0], .events = POLLIN};
  polled[1] = (struct pollfd){.fd = listener, .events = POLLIN};
  for (nfds_t count = 2;;) {
    if (poll(polled, count, -1) < 0)
      continue;
    // A client that has gone away waits for nothing.
    for (nfds_t i = 2; i < count; ++i)
      if (polled[i].revents & POLLHUP) {
        kill(children[i], SIGKILL);
        polled[i].events = polled[i].revents = 0;
      }
    if (polled[0].revents)
      count = reap(count);
    if (!polled[1].revents || count == MaxClients + 2)
      continue;
    int connection = accept(listener, NULL, NULL);
    if (connection < 0)
      continue;
    pid_t child = fork();
    if (!child) {
      sigaction(SIGCHLD, &before, NULL);
      close(wakePipe[0]);
      close(wakePipe[1]);
      close(listener);
      for (nfds_t i = 2; i < count; ++i)
        close(polled[i].fd);
      runFor(connection);
    }
    if (child < 0) {
      close(connection);
      continue;
    }
    polled[count] = (struct pollfd){.fd = connection};
    children[count++] = child;
  }
}

static int serverMain(int argc, char **argv, char **environment) {
  const char *name = getenv("BUFFER_MERGE_FORK_SERVER");
  struct sockaddr_un address;
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (!name || listener < 0)
    return programMain(argc, argv, environment);
  socklen_t size = getAddress(name, program_invocation_short_name, &address);
  if (bind(listener, (struct sockaddr *)&address, size) ||
      listen(listener, MaxClients))
    return 126;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == 1)
    return 0;
  serve(listener);
  return 126;
}

int __libc_start_main(Main *, int, char **, void (*)(void), void (*)(void),
                      void (*)(void), void *);

int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loaderFini)(void),
                      void *stackEnd) {
  programMain = main;
  __typeof__(__libc_start_main) *start = dlsym(RTLD_NEXT, "__libc_start_main");
  return start(serverMain, argc, argv, init, fini, loaderFini, stackEnd);
}
