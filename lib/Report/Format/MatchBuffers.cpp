//===- MatchBuffers.cpp - The same buffer in two plans -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages, from the strictest key to the most lenient one. Each stage looks at
// the buffers that are not matched yet, and matches
//
//   1. equal keys from the front and from the back, up to the first difference:
//      what was inserted or removed in between stays unmatched, even if all
//      keys are equal;
//   2. the first, second, ... buffer of every key on both sides.
//
//===----------------------------------------------------------------------===//

#include "MatchBuffers.h"

#include "Mutation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <tuple>

using namespace buffer_merge;

bool buffer_merge::isNumberedName(llvm::StringRef name) {
  if (isMutated("compare-numbered-names") || !name.consume_front("%"))
    return false;
  llvm::StringRef digits = name.substr(name.rfind('_') + 1);
  return name == "alloc" ||
         (!digits.empty() && llvm::all_of(digits, llvm::isDigit));
}

using Key = std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>;

/// Return the key of a stage, or nothing if the buffer has no part in it.
using GetKey =
    llvm::function_ref<std::optional<Key>(const BufferIdentity &buffer)>;

namespace {
/// The state of the matching.
class Matcher {
public:
  Matcher(llvm::ArrayRef<BufferIdentity> before,
          llvm::ArrayRef<BufferIdentity> after)
      : before(before), after(after), isUsed(before.size(), false),
        matches(after.size()) {}

  void run(GetKey getKey);
  llvm::SmallVector<std::optional<size_t>, 0> take() {
    return std::move(matches);
  }

private:
  void match(size_t indexBefore, size_t indexAfter) {
    isUsed[indexBefore] = true;
    matches[indexAfter] = indexBefore;
  }

  llvm::ArrayRef<BufferIdentity> before, after;
  std::vector<bool> isUsed;
  llvm::SmallVector<std::optional<size_t>, 0> matches;
};
} // namespace

void Matcher::run(GetKey getKey) {
  using Items = llvm::SmallVector<std::pair<Key, size_t>, 0>;
  Items left, right;
  for (auto [index, buffer] : llvm::enumerate(before))
    if (!isUsed[index])
      if (std::optional<Key> key = getKey(buffer))
        left.emplace_back(*key, index);
  for (auto [index, buffer] : llvm::enumerate(after))
    if (!matches[index])
      if (std::optional<Key> key = getKey(buffer))
        right.emplace_back(*key, index);

  size_t first = 0, leftEnd = left.size(), rightEnd = right.size();
  while (first < leftEnd && first < rightEnd &&
         left[first].first == right[first].first) {
    match(left[first].second, right[first].second);
    ++first;
  }
  while (first < leftEnd && first < rightEnd &&
         left[leftEnd - 1].first == right[rightEnd - 1].first)
    match(left[--leftEnd].second, right[--rightEnd].second);

  // For each key, its buffers in the order of the program.
  std::map<Key, llvm::SmallVector<size_t, 1>> byKey;
  for (size_t i = leftEnd; i-- > first;)
    byKey[left[i].first].push_back(left[i].second);
  for (size_t i = first; i < rightEnd; ++i) {
    auto it = byKey.find(right[i].first);
    if (it == byKey.end() || it->second.empty())
      continue;
    match(it->second.pop_back_val(), right[i].second);
  }
}

llvm::SmallVector<std::optional<size_t>, 0>
buffer_merge::matchBuffers(llvm::ArrayRef<BufferIdentity> before,
                           llvm::ArrayRef<BufferIdentity> after) {
  Matcher matcher(before, after);
  auto keep = [](bool condition, Key key) {
    return condition ? std::optional<Key>(key) : std::nullopt;
  };
  using Buffer = BufferIdentity;
  matcher.run([&](const Buffer &buffer) {
    return keep(!buffer.name.empty(),
                {buffer.name, buffer.operation, buffer.type});
  });
  // Another shape. Before structure, because a name is the clearer sign.
  matcher.run([&](const Buffer &buffer) {
    return keep(!buffer.name.empty(), {buffer.name, buffer.operation, ""});
  });
  // An allocation that stays has no operation.
  matcher.run([&](const Buffer &buffer) {
    return keep(!buffer.name.empty(), {buffer.name, "", buffer.type});
  });
  if (isMutated("compare-no-structure"))
    return matcher.take();
  matcher.run([&](const Buffer &buffer) {
    return keep(true, {"", buffer.operation, buffer.type});
  });
  // Another shape, or an allocation that stays.
  matcher.run([&](const Buffer &buffer) {
    return keep(!buffer.operation.empty(), {"", buffer.operation, ""});
  });
  matcher.run(
      [&](const Buffer &buffer) { return keep(true, {"", "", buffer.type}); });
  return matcher.take();
}
