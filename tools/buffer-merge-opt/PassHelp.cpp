//===- PassHelp.cpp - Help for one pass -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR prints the options of a pass in alphabetical order, all of them to
// standard output: that text is taken apart here, and put in the order in which
// somebody who has a question reads it.
//
//===----------------------------------------------------------------------===//

#include "PassHelp.h"
#include "buffer-merge/Scheduling/Input.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace llvm;

namespace {
/// Options that are about one thing.
struct OptionGroup {
  StringLiteral title;
  /// Separated by spaces, the most important one first.
  StringLiteral names;
};
} // namespace

/// Those of `buffer-merge` and `buffer-lifetimes`.
static constexpr OptionGroup groups[] = {
    {"Most used",
     "report pool limit-peak capacity alignment scheduler effort in-place "
     "dynamic target"},
    {"What is merged", "goal memory-spaces calls left min-gain max-pools "
                       "split-buffers erase-copies"},
    {"Where buffers are", "offsets reuse over-capacity"},
    {"What is shown", "advise emit-header"},
    {"GPU kernels", "workgroup-pool barriers merge-attributions"},
};

static constexpr StringLiteral ownPasses[] = {
    "buffer-lifetimes",       "buffer-merge",     "buffer-merge-pipeline",
    "check-workgroup-races",  "emplace-buffers",  "hoist-parallel-pools",
    "place-globals",          "propagate-copies", "reorder-for-peak",
    "rotate-carried-buffers", "split-buffers",    "unshare-empty-tensors",
    "workgroup-bytes",
};

/// Return what `print` writes to standard output.
static std::string capture(function_ref<void()> print) {
  int file;
  SmallString<128> path;
  if (sys::fs::createTemporaryFile("help", "txt", file, path))
    return "";
  FileRemover remover(path);
  outs().flush();
  int original = dup(STDOUT_FILENO);
  dup2(file, STDOUT_FILENO);
  print();
  outs().flush();
  dup2(original, STDOUT_FILENO);
  close(original);
  close(file);
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Print the lines of `option` as they are, with two columns less.
static void printOption(ArrayRef<StringRef> option) {
  for (StringRef line : option)
    outs() << line.drop_front(2) << "\n";
}

static void printHelp(const mlir::PassRegistryEntry &entry) {
  bool isGrouped = entry.getPassArgument() == "buffer-merge" ||
                   entry.getPassArgument() == "buffer-lifetimes";
  std::string text = capture(
      [&] { entry.printHelpStr(/*indent=*/0, entry.getOptionWidth() + 4); });
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  outs() << entry.getPassArgument() << ": " << entry.getPassDescription()
         << "\n\nbuffer-merge-opt FILE --" << entry.getPassArgument();
  MapVector<StringRef, SmallVector<StringRef>> options;
  for (StringRef line : ArrayRef(lines).drop_front()) {
    StringRef trimmed = line.ltrim();
    if (trimmed.consume_front("--"))
      options[trimmed.take_until([](char c) { return c == '=' || c == ' '; })] =
          {line};
    else if (!options.empty())
      options.back().second.push_back(line);
  }
  outs() << (options.empty() ? "\n" : "='NAME=VALUE ...'\n");
  StringSet<> printed;
  for (const OptionGroup &group : groups) {
    bool isFirst = true;
    for (StringRef name : split(group.names, ' ')) {
      auto it = options.find(name);
      if (!isGrouped || it == options.end())
        continue;
      if (std::exchange(isFirst, false))
        outs() << "\n" << group.title << ":\n";
      printOption(it->second);
      printed.insert(name);
    }
  }
  bool isFirst = true;
  for (const auto &[name, option] : options) {
    if (printed.contains(name))
      continue;
    if (std::exchange(isFirst, false))
      outs() << (isGrouped ? "\nOther options:\n" : "\nOptions:\n");
    printOption(option);
  }
}

/// Return the pass or pipeline with this name, or null.
static const mlir::PassRegistryEntry *lookup(StringRef name) {
  if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(name))
    return pass;
  return mlir::PassPipelineInfo::lookup(name);
}

void buffer_merge::printPassHelpIfAsked(int argc, char **argv) {
  for (StringRef argument : ArrayRef(argv, argc).drop_front()) {
    StringRef name = argument.ltrim('-');
    if (!argument.starts_with("-") || !name.consume_front("help="))
      continue;
    if (name.empty()) {
      for (StringRef own : ownPasses) {
        outs() << (own == ownPasses[0] ? "" : "\n");
        printHelp(*lookup(own));
      }
      std::exit(0);
    }
    const mlir::PassRegistryEntry *entry = lookup(name);
    if (!entry) {
      WithColor::error(errs(), "buffer-merge-opt")
          << "there is no pass '" << name << "'; the nearest of this project "
          << "is '" << findNearestName(name, ownPasses) << "'\n";
      std::exit(1);
    }
    printHelp(*entry);
    std::exit(0);
  }
}

/// Return the value of `--pass-pipeline`, or nothing.
static StringRef findPipeline(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    auto [option, value] = StringRef(argv[i]).split('=');
    if (option.starts_with("-") && option.ltrim('-') == "pass-pipeline")
      return value.empty() && i + 1 < argc ? argv[i + 1] : value;
  }
  return "";
}

void buffer_merge::refuseUnknownInPipeline(int argc, char **argv) {
  StringRef pipeline = findPipeline(argc, argv);
  std::string text;
  raw_string_ostream os(text);
  if (pipeline.empty() || succeeded(mlir::parsePassPipeline(pipeline, os)))
    return;
  auto [message, rest] = StringRef(text).trim().split('\n');
  auto [before, unknown] = message.split("error: '");
  if (unknown.consume_back("' does not refer to a registered pass or pass "
                           "pipeline"))
    WithColor::error(errs(), "buffer-merge-opt")
        << "there is no pass '" << unknown << "'; the nearest of this project "
        << "is '" << findNearestName(unknown, ownPasses) << "'\n";
  else if (rest.ltrim().starts_with("failed to add `"))
    WithColor::error(errs(), "buffer-merge-opt") << message << "\n";
  else if (message.consume_front("failed to add `")) {
    // A wrong value. The passes of this project have said what is wrong.
    if (!is_contained(ownPasses, message.split('`').first))
      WithColor::error(errs(), "buffer-merge-opt")
          << "failed to add `" << message << "\n";
  } else
    return;
  std::exit(1);
}
