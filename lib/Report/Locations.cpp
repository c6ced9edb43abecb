//===- Locations.cpp - Names and places from locations -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Locations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the part of `loc` that says most about its operation: of several
/// fused ones the first that is known, of a call site the callee.
static Location simplify(Location loc) {
  while (true) {
    if (auto fused = dyn_cast<FusedLoc>(loc)) {
      Location next = UnknownLoc::get(loc.getContext());
      for (Location part : fused.getLocations()) {
        next = part;
        if (!isa<UnknownLoc>(part))
          break;
      }
      loc = next;
    } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
      loc = opaque.getFallbackLocation();
    } else {
      return loc;
    }
  }
}

/// Return the file position in `loc`, or null.
static FileLineColRange findPosition(Location loc) {
  while (true) {
    loc = simplify(loc);
    if (auto call = dyn_cast<CallSiteLoc>(loc))
      loc = call.getCallee();
    else if (auto name = dyn_cast<NameLoc>(loc))
      loc = name.getChildLoc();
    else
      return dyn_cast<FileLineColRange>(loc);
  }
}

std::string buffer_merge::findLocationName(Location loc) {
  while (true) {
    loc = simplify(loc);
    if (auto name = dyn_cast<NameLoc>(loc))
      return llvm::json::fixUTF8(name.getName().getValue());
    auto call = dyn_cast<CallSiteLoc>(loc);
    if (!call)
      return "";
    loc = call.getCallee();
  }
}

std::string buffer_merge::describeLocation(Location loc) {
  // Inlining makes chains of call sites: the innermost few will do.
  constexpr unsigned maxCalls = 4;
  std::string text;
  for (unsigned calls = 0;; ++calls) {
    loc = simplify(loc);
    auto call = dyn_cast<CallSiteLoc>(loc);
    Location place = call ? Location(call.getCallee()) : loc;
    if (FileLineColRange position = findPosition(place))
      text += (position.getFilename().getValue() + ":" +
               Twine(position.getStartLine()) + ":" +
               Twine(position.getStartColumn()))
                  .str();
    else
      text += findLocationName(place);
    if (!call || calls == maxCalls)
      return llvm::json::fixUTF8(text);
    text += ", called at ";
    loc = call.getCaller();
  }
}

std::string buffer_merge::describeAccess(Operation *op) {
  if (!op)
    return "";
  std::string text = op->getName().getStringRef().str();
  if (std::string location = describeLocation(op->getLoc()); !location.empty())
    text += " at " + location;
  return llvm::json::fixUTF8(text);
}

std::string buffer_merge::getFileName(Location loc) {
  FileLineColRange position = findPosition(loc);
  if (!position)
    return "";
  return llvm::json::fixUTF8(
      llvm::sys::path::filename(position.getFilename().getValue()));
}

const SourceNames::File &SourceNames::load(StringRef path) {
  auto [it, isNew] = files.try_emplace(path);
  File &file = it->second;
  // Regular files alone: opening a pipe could block.
  if (!isNew || !llvm::sys::fs::is_regular_file(path))
    return file;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return file;
  file.buffer = std::move(*buffer);
  StringRef text = file.buffer->getBuffer();
  for (size_t start = 0; start < text.size();) {
    file.lineStarts.push_back(start);
    start = std::min(text.find('\n', start), text.size() - 1) + 1;
  }
  return file;
}

/// Return the first of the results that are named at the end of `text`, which
/// comes before the name of an operation, or nothing if there are none.
///
/// ```
///   ... : index  %a, %b:2 =        %a
/// ```
static StringRef findFirstResult(StringRef text) {
  text = text.rtrim();
  if (!text.consume_back("="))
    return "";
  StringRef first;
  do {
    text = text.rtrim();
    size_t start = text.size();
    while (start > 0 && (llvm::isAlnum(text[start - 1]) ||
                         StringRef("_$.-:").contains(text[start - 1])))
      --start;
    if (start == 0 || text[start - 1] != '%')
      return "";
    first = text.drop_front(start - 1);
    text = text.take_front(start - 1).rtrim();
  } while (text.consume_back(","));
  first = first.take_until([](char c) { return c == ':'; });
  return first.size() > 1 ? first : "";
}

std::string SourceNames::lookup(Location loc) {
  FileLineColRange position = findPosition(loc);
  if (!position || position.getStartLine() == 0 ||
      position.getStartColumn() == 0)
    return "";
  const File &file = load(position.getFilename().getValue());
  if (position.getStartLine() > file.lineStarts.size())
    return "";
  StringRef line = file.buffer->getBuffer()
                       .drop_front(file.lineStarts[position.getStartLine() - 1])
                       .take_until([](char c) { return c == '\n'; });
  if (position.getStartColumn() > line.size())
    return "";
  return findFirstResult(line.take_front(position.getStartColumn() - 1)).str();
}
