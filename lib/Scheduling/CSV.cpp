//===- CSV.cpp - Tables of buffers as text -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MiniMalloc's tables: a row of column names, then a row for each buffer. Every
// diagnostic names the line, and the column where there is one.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/CSV.h"
#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/StringSaver.h"

#include <array>
#include <functional>
#include <limits>
#include <numeric>

using namespace buffer_merge;

namespace {
/// What a column means. `End` is `Upper` with the last tick included.
enum class Column {
  Id,
  Lower,
  Upper,
  End,
  Size,
  Alignment,
  Hint,
  Offset,
  Gaps,
  Conflicts,
  InPlace,
  InPlaceAny,
  Penalties,
  Reads,
  Writes,
  Region,
};
constexpr unsigned numColumns = unsigned(Column::Region) + 1;

struct ColumnName {
  llvm::StringLiteral name;
  Column column;
};
constexpr ColumnName columnNames[] = {{"id", Column::Id},
                                      {"buffer", Column::Id},
                                      {"buffer_id", Column::Id},
                                      {"lower", Column::Lower},
                                      {"begin", Column::Lower},
                                      {"start", Column::Lower},
                                      {"upper", Column::Upper},
                                      {"end-exclusive", Column::Upper},
                                      {"end", Column::End},
                                      {"end-inclusive", Column::End},
                                      {"size", Column::Size},
                                      {"alignment", Column::Alignment},
                                      {"hint", Column::Hint},
                                      {"gaps", Column::Gaps},
                                      {"conflicts", Column::Conflicts},
                                      {"in-place", Column::InPlace},
                                      {"in-place-any", Column::InPlaceAny},
                                      {"penalties", Column::Penalties},
                                      {"reads", Column::Reads},
                                      {"writes", Column::Writes},
                                      {"region", Column::Region},
                                      {"offset", Column::Offset}};

class Parser {
public:
  /// With `needsProblem`, the columns of a problem must be there; otherwise
  /// those of ids and offsets.
  Parser(llvm::MemoryBufferRef input, bool needsProblem)
      : fileName(input.getBufferIdentifier()),
        rest(dropByteOrderMark(input.getBuffer())), needsProblem(needsProblem),
        lineEnd(rest.contains('\n') ? '\n' : '\r') {}

  llvm::Expected<BufferTable> parse();

private:
  llvm::Error parseHeader();
  llvm::Error parseRow();
  llvm::Error parseLifetime(Buffer &buffer);
  llvm::Error parseGaps(Buffer &buffer);
  llvm::Error parseSize(Buffer &buffer);
  llvm::Error parseBuffer(Buffer &buffer);
  llvm::Error parseMemory();
  struct ReferenceField;
  llvm::Error resolveReference(const ReferenceField &field,
                               llvm::StringRef text);
  llvm::Error resolveReferences();

  /// Read the next line that has something to say. Return false at the end.
  bool readLine();
  /// Split the line into `fields`.
  llvm::Error splitLine();
  /// Drop fields behind the first `least` that are empty: spreadsheets write
  /// such columns.
  void dropEmptyFields(size_t least) {
    while (fields.size() > least && fields.back().empty())
      fields.pop_back();
  }

  bool has(Column column) const { return indexOf(column).has_value(); }
  std::optional<size_t> indexOf(Column column) const {
    return positions[unsigned(column)];
  }
  /// The field of the current line in a column that exists.
  llvm::StringRef fieldOf(Column column) const {
    return fields[*indexOf(column)];
  }
  llvm::StringRef nameOf(Column column) const {
    return header[*indexOf(column)];
  }

  llvm::Error parseInteger(Column column, int64_t &value) const;

  /// Return an error at `where`, a part of the current line.
  template <typename... Args>
  llvm::Error makeError(llvm::StringRef where, const char *format,
                        Args &&...args) const {
    return makeErrorAt(
        lineNumber, where.data() - line.data() + 1,
        llvm::formatv(format, std::forward<Args>(args)...).str());
  }
  template <typename... Args>
  llvm::Error makeError(Column column, const char *format,
                        Args &&...args) const {
    return makeError(fieldOf(column), format, std::forward<Args>(args)...);
  }
  llvm::Error makeErrorAt(unsigned lineNumber, size_t column,
                          const llvm::Twine &message) const {
    return llvm::createStringError(llvm::Twine(fileName) + ":" +
                                   llvm::Twine(lineNumber) + ":" +
                                   llvm::Twine(column) + ": " + message);
  }

  llvm::StringRef fileName;
  llvm::StringRef rest;
  bool needsProblem;
  /// Some spreadsheets end lines with a carriage return alone.
  char lineEnd;
  llvm::StringRef line;
  unsigned lineNumber = 0;
  char separator = ',';
  llvm::SmallVector<llvm::StringRef> fields;
  /// Has what is not in the input as it is.
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver{allocator};

  llvm::SmallVector<llvm::StringRef> header;
  /// Where each column is in a row.
  std::array<std::optional<size_t>, numColumns> positions;

  BufferTable table;
  /// The line and the number of each id; a row of size 0 has none.
  struct Row {
    unsigned lineNumber;
    std::optional<BufferId> buffer;
  };
  llvm::StringMap<Row> rowsById;
  /// Sum of sizes and what alignment may cost, to be kept below `maxBytes`.
  int64_t total = 0;
  /// The least common multiple of the alignments.
  int64_t poolAlignment = 1;

  /// Conflicts, in-place pairs and penalties may name rows that are still to
  /// come.
  struct ReferenceField {
    Column kind;
    BufferId buffer;
    unsigned lineNumber;
    size_t column;
    llvm::StringRef text;
  };
  llvm::SmallVector<ReferenceField, 0> referenceFields;
};
} // namespace

bool Parser::readLine() {
  while (!rest.empty()) {
    std::tie(line, rest) = rest.split(lineEnd);
    line.consume_back("\r");
    ++lineNumber;
    if (!line.trim().empty() && !line.ltrim().starts_with("#"))
      return true;
  }
  return false;
}

llvm::Error Parser::splitLine() {
  fields.clear();
  llvm::StringRef left = line;
  llvm::StringRef blanks = separator == '\t' ? " " : " \t";
  while (true) {
    llvm::StringRef trimmed = left.ltrim(blanks);
    if (!trimmed.starts_with("\"")) {
      size_t end = left.find(separator);
      fields.push_back(left.take_front(end).trim());
      if (end == llvm::StringRef::npos)
        return llvm::Error::success();
      left = left.drop_front(end + 1);
      continue;
    }
    size_t end = 1;
    while (end < trimmed.size() &&
           (trimmed[end] != '"' || trimmed.substr(end).starts_with("\"\"")))
      end += trimmed[end] == '"' ? 2 : 1;
    if (end >= trimmed.size())
      return makeError(trimmed, "the quotes have no end");
    llvm::StringRef field = trimmed.slice(1, end);
    if (field.contains('"')) {
      llvm::SmallVector<llvm::StringRef> parts;
      field.split(parts, "\"\"");
      field = saver.save(llvm::join(parts, "\""));
    }
    fields.push_back(field);
    left = trimmed.drop_front(end + 1).ltrim(blanks);
    if (left.empty())
      return llvm::Error::success();
    if (!left.consume_front(llvm::StringRef(&separator, 1)))
      return makeError(left, "there is text after the quotes");
  }
}

llvm::Error Parser::parseHeader() {
  if (!readLine())
    return makeErrorAt(1, 1,
                       "the row with the names of the columns is missing");
  for (char other : {'\t', ';', ','})
    if (line.contains(other))
      separator = other;
  if (llvm::Error error = splitLine())
    return error;
  dropEmptyFields(1);
  for (llvm::StringRef name : fields)
    header.push_back(saver.save(name.lower()));
  for (const auto &[index, name] : llvm::enumerate(header)) {
    llvm::StringRef field = fields[index];
    if (llvm::is_contained(llvm::ArrayRef(header).take_front(index), name))
      return makeError(field, "column '{0}' is there twice", name);
    const auto *known =
        llvm::find_if(columnNames, [&, name = name](const ColumnName &column) {
          return column.name == name;
        });
    if (known == std::end(columnNames)) {
      auto names = llvm::map_range(
          columnNames, [](const ColumnName &column) { return column.name; });
      return makeError(field, "there is no column '{0}'; the nearest is '{1}'",
                       name, findNearestName(name, names));
    }
    Column column = known->column;
    Column other = column == Column::End     ? Column::Upper
                   : column == Column::Upper ? Column::End
                                             : column;
    if (has(column) || has(other))
      return makeError(field, "column '{0}' says the same as column '{1}'",
                       name, nameOf(has(column) ? column : other));
    positions[unsigned(column)] = index;
  }
  bool hasUpper = has(Column::Upper) || has(Column::End);
  const struct {
    const char *name;
    bool isMissing;
  } required[] = {
      {"id", !has(Column::Id)},
      {"lower", !has(Column::Lower) && (needsProblem || hasUpper)},
      {"size", !has(Column::Size) && needsProblem},
      {"upper", !hasUpper && (needsProblem || has(Column::Lower))},
      {"offset", !has(Column::Offset) && !needsProblem},
  };
  for (const auto &column : required)
    if (column.isMissing)
      return makeError(line, "column '{0}' is missing", column.name);
  return llvm::Error::success();
}

llvm::Error Parser::parseInteger(Column column, int64_t &value) const {
  llvm::StringRef field = fieldOf(column);
  if (!field.getAsInteger(10, value))
    return llvm::Error::success();
  llvm::StringRef digits = field;
  digits.consume_front("-");
  if (!digits.empty() && llvm::all_of(digits, llvm::isDigit))
    return makeError(column, "{0}: {1} does not fit 64 bits", nameOf(column),
                     field);
  return makeError(column, "{0}: '{1}' is not an integer", nameOf(column),
                   field);
}

llvm::Error Parser::parseLifetime(Buffer &buffer) {
  if (llvm::Error error = parseInteger(Column::Lower, buffer.begin))
    return error;
  Column upper = has(Column::Upper) ? Column::Upper : Column::End;
  if (llvm::Error error = parseInteger(upper, buffer.end))
    return error;
  if (upper == Column::End) {
    if (buffer.end == std::numeric_limits<int64_t>::max())
      return makeError(upper, "{0}: {1} is too large", nameOf(upper),
                       buffer.end);
    ++buffer.end;
  }
  if (buffer.begin >= buffer.end)
    return makeError(upper, "the lifetime [{0}, {1}) is empty", buffer.begin,
                     buffer.end);
  return llvm::Error::success();
}

/// Parse ranges of ticks such as `2-5 7-8`. MiniMalloc's `2-5@0:64` is refused:
/// the buffer keeps a part of its bytes during the gap.
llvm::Error Parser::parseGaps(Buffer &buffer) {
  llvm::SmallVector<llvm::StringRef> ranges;
  fieldOf(Column::Gaps).split(ranges, ' ');
  for (llvm::StringRef range : ranges) {
    if (range.contains('@'))
      return makeError(range, "gaps: a gap with a window is not supported");
    // The first tick may be negative.
    size_t dash = range.find('-', 1);
    TickInterval gap;
    if (dash == llvm::StringRef::npos ||
        range.take_front(dash).getAsInteger(10, gap.begin) ||
        range.drop_front(dash + 1).getAsInteger(10, gap.end) ||
        gap.end == std::numeric_limits<int64_t>::max())
      return makeError(range, "gaps: '{0}' is not a range of ticks such as 2-5",
                       range);
    gap.end += has(Column::End);
    buffer.gaps.push_back(gap);
  }
  if (const TickInterval *gap = buffer.findMalformedGap())
    return makeError(ranges[gap - buffer.gaps.begin()],
                     "gaps: [{0}, {1}) is empty or leaves no live tick before "
                     "or after it",
                     gap->begin, gap->end);
  return llvm::Error::success();
}

llvm::Error Parser::parseSize(Buffer &buffer) {
  if (llvm::Error error = parseInteger(Column::Size, buffer.size))
    return error;
  if (buffer.size < 0)
    return makeError(Column::Size, "size: {0} is negative", buffer.size);
  if (buffer.size > maxBytes)
    return makeError(Column::Size, "size: {0} exceeds {1} bytes", buffer.size,
                     maxBytes);
  return llvm::Error::success();
}

llvm::Error Parser::parseBuffer(Buffer &buffer) {
  if (has(Column::Lower))
    if (llvm::Error error = parseLifetime(buffer))
      return error;
  if (has(Column::Lower) && has(Column::Gaps) && !fieldOf(Column::Gaps).empty())
    if (llvm::Error error = parseGaps(buffer))
      return error;
  if (has(Column::Size))
    if (llvm::Error error = parseSize(buffer))
      return error;
  if (has(Column::Alignment)) {
    if (llvm::Error error = parseInteger(Column::Alignment, buffer.alignment))
      return error;
    if (buffer.alignment <= 0)
      return makeError(Column::Alignment, "alignment: {0} is not positive",
                       buffer.alignment);
    if (buffer.alignment > maxBytes)
      return makeError(Column::Alignment, "alignment: {0} exceeds {1} bytes",
                       buffer.alignment, maxBytes);
    // The pool has to be aligned for all of them.
    int64_t factor =
        buffer.alignment / std::gcd(poolAlignment, buffer.alignment);
    if (factor > maxBytes / poolAlignment)
      return makeError(Column::Alignment,
                       "alignment: no common multiple of {0} and those before "
                       "is below {1}",
                       buffer.alignment, maxBytes);
    poolAlignment *= factor;
  }
  if (has(Column::Size))
    total += buffer.size + buffer.alignment - 1;
  if (total > maxBytes)
    return makeError(Column::Size, "size: the sum of sizes exceeds {0} bytes",
                     maxBytes);

  if (has(Column::Offset) && !fieldOf(Column::Offset).empty()) {
    int64_t offset;
    if (llvm::Error error = parseInteger(Column::Offset, offset))
      return error;
    if (offset < 0 || offset > maxBytes - buffer.size)
      return makeError(Column::Offset, "offset: {0} is out of range", offset);
    buffer.fixedOffset = offset;
  }
  return llvm::Error::success();
}

/// Parse what is said about memories.
llvm::Error Parser::parseMemory() {
  for (auto [column, values] : {std::pair(Column::Reads, &table.reads),
                                std::pair(Column::Writes, &table.writes)}) {
    if (!has(column))
      continue;
    int64_t bytes;
    if (llvm::Error error = parseInteger(column, bytes))
      return error;
    if (bytes < 0 || bytes > maxBytes)
      return makeError(column, "{0}: {1} is not in 0 to {2}", nameOf(column),
                       bytes, maxBytes);
    values->push_back(bytes);
  }
  if (has(Column::Region))
    table.regions.push_back(fieldOf(Column::Region).str());
  return llvm::Error::success();
}

llvm::Error Parser::parseRow() {
  dropEmptyFields(header.size());
  if (fields.size() != header.size())
    return makeError(fields.size() > header.size() ? fields[header.size()]
                                                   : line.take_back(0),
                     "too {0} fields: {1} instead of {2}",
                     fields.size() > header.size() ? "many" : "few",
                     fields.size(), header.size());
  BufferId index = table.problem.buffers.size();
  llvm::StringRef id = fieldOf(Column::Id);
  auto [previous, isNew] = rowsById.try_emplace(id, Row{lineNumber, index});
  if (!isNew)
    return makeError(Column::Id, "id '{0}' is there twice, first in line {1}",
                     id, previous->second.lineNumber);
  Buffer buffer;
  if (llvm::Error error = parseBuffer(buffer))
    return error;
  if (has(Column::Size) && buffer.size == 0) {
    previous->second.buffer.reset();
    table.empties.push_back(
        {id.str(), buffer.begin, buffer.end, buffer.alignment});
    return llvm::Error::success();
  }
  table.ids.push_back(id.str());
  table.lines.push_back(lineNumber);
  table.problem.buffers.push_back(std::move(buffer));
  if (has(Column::Hint)) {
    int64_t hint;
    if (llvm::Error error = parseInteger(Column::Hint, hint))
      return error;
    table.hints.push_back(hint);
  }
  if (llvm::Error error = parseMemory())
    return error;
  for (Column kind : {Column::Conflicts, Column::InPlace, Column::InPlaceAny,
                      Column::Penalties}) {
    if (!has(kind))
      continue;
    llvm::StringRef field = fieldOf(kind);
    if (!field.empty())
      referenceFields.push_back({kind, index, lineNumber,
                                 size_t(field.data() - line.data()) + 1,
                                 field});
  }
  return llvm::Error::success();
}

/// Add what `text`, a part of `field`, says.
llvm::Error Parser::resolveReference(const ReferenceField &field,
                                     llvm::StringRef text) {
  size_t column = field.column + (text.data() - field.text.data());
  auto makeFieldError = [&](const llvm::Twine &message) {
    return makeErrorAt(field.lineNumber, column,
                       nameOf(field.kind) + ": " + message);
  };
  llvm::StringRef name = text, number;
  int64_t penalty = 0;
  if (field.kind == Column::Penalties) {
    std::tie(name, number) = text.rsplit('=');
    if (number.getAsInteger(10, penalty) || penalty < 1 || penalty > maxBytes)
      return makeFieldError("'" + text +
                            "' is not an id with a penalty such as a=500");
  }
  auto it = rowsById.find(name);
  if (it == rowsById.end())
    return makeFieldError("there is no id '" + name + "'");
  // A row without bytes shares none.
  if (!it->second.buffer)
    return llvm::Error::success();
  const BufferId id = *it->second.buffer;
  if (field.kind == Column::Penalties) {
    if (id == field.buffer)
      return makeFieldError("'" + name + "' has a penalty with itself");
    table.penalties->push_back({field.buffer, id, penalty});
    return llvm::Error::success();
  }
  if (field.kind == Column::Conflicts) {
    if (id == field.buffer)
      return makeFieldError("'" + name + "' is in conflict with itself");
    table.problem.conflicts.push_back({field.buffer, id});
    return llvm::Error::success();
  }
  // Ticks that are not there are all the same.
  const Buffer &earlier = table.problem.buffers[id];
  const Buffer &later = table.problem.buffers[field.buffer];
  if (has(Column::Lower) &&
      (earlier.begin >= later.begin || earlier.end - 1 != later.begin))
    return makeFieldError("the last tick of '" + name +
                          "' is not the first of '" + table.ids[field.buffer] +
                          "'");
  table.problem.inPlacePairs.push_back({id, field.buffer,
                                        field.kind == Column::InPlace
                                            ? InPlaceCondition::SameOffset
                                            : InPlaceCondition::AnyOffset});
  return llvm::Error::success();
}

llvm::Error Parser::resolveReferences() {
  if (has(Column::Penalties))
    table.penalties.emplace();
  for (const ReferenceField &field : referenceFields) {
    llvm::SmallVector<llvm::StringRef> texts;
    field.text.split(texts, ' ');
    for (llvm::StringRef text : texts)
      if (llvm::Error error = resolveReference(field, text))
        return error;
  }
  return llvm::Error::success();
}

llvm::Expected<BufferTable> Parser::parse() {
  if (rest.starts_with("\xFF\xFE") || rest.starts_with("\xFE\xFF"))
    return makeErrorAt(1, 1, "the table is in UTF-16: save it as UTF-8");
  if (llvm::Error error = parseHeader())
    return std::move(error);
  size_t numLines = rest.count(lineEnd) + 1;
  table.problem.buffers.reserve(numLines);
  table.ids.reserve(numLines);
  while (readLine()) {
    if (llvm::Error error = splitLine())
      return std::move(error);
    if (llvm::Error error = parseRow())
      return std::move(error);
  }
  if (llvm::Error error = resolveReferences())
    return std::move(error);
  return std::move(table);
}

llvm::Expected<BufferTable>
buffer_merge::parseBufferTable(llvm::MemoryBufferRef input) {
  return Parser(input, /*needsProblem=*/true).parse();
}

llvm::Expected<BufferTable>
buffer_merge::parseOffsetTable(llvm::MemoryBufferRef input) {
  return Parser(input, /*needsProblem=*/false).parse();
}

static llvm::Expected<BufferTable> readTable(llvm::StringRef path,
                                             bool needsProblem) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFileOrStdin(path);
  if (std::error_code error = file.getError())
    return llvm::createFileError(path, error);
  llvm::MemoryBufferRef input((*file)->getBuffer(),
                              path == "-" ? "<stdin>" : path);
  return Parser(input, needsProblem).parse();
}

llvm::Expected<BufferTable>
buffer_merge::readBufferTable(llvm::StringRef path) {
  return readTable(path, /*needsProblem=*/true);
}

llvm::Expected<BufferTable>
buffer_merge::readOffsetTable(llvm::StringRef path) {
  return readTable(path, /*needsProblem=*/false);
}

llvm::SmallVector<TableColumn> buffer_merge::getTableColumns() {
  llvm::SmallVector<TableColumn> columns;
  for (const ColumnName &name : columnNames) {
    bool isText = llvm::is_contained(
        {Column::Id, Column::Gaps, Column::Conflicts, Column::InPlace,
         Column::InPlaceAny, Column::Penalties, Column::Region},
        name.column);
    columns.push_back({name.name, !isText});
  }
  return columns;
}

void buffer_merge::printTableField(llvm::raw_ostream &os,
                                   llvm::StringRef text) {
  if (text == text.trim() && !text.starts_with("#") &&
      text.find_first_of(",;\t\"") == llvm::StringRef::npos) {
    os << text;
    return;
  }
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '"');
  os << '"' << llvm::join(parts, "\"\"") << '"';
}

void buffer_merge::visitTableRows(
    const BufferTable &table, llvm::ArrayRef<int64_t> offsets, bool isPlan,
    llvm::function_ref<void(llvm::ArrayRef<std::string>)> visit) {
  llvm::ArrayRef<Buffer> buffers = table.problem.buffers;
  struct PrintedColumn {
    std::string name;
    std::function<std::string(size_t row)> getField;
    /// What a row of size 0 has in it; nothing: its alignment.
    std::optional<std::string> ofEmpty;
  };
  llvm::SmallVector<PrintedColumn, 0> columns;
  auto addIf = [&](bool isPrinted, const char *name,
                   std::function<std::string(size_t row)> getField,
                   std::optional<std::string> ofEmpty) {
    if (isPrinted)
      columns.push_back({name, std::move(getField), std::move(ofEmpty)});
  };
  auto addNumbersIf = [&](bool isPrinted, const char *name,
                          llvm::ArrayRef<int64_t> numbers,
                          const char *ofEmpty) {
    addIf(
        isPrinted, name,
        [=](size_t row) { return std::to_string(numbers[row]); }, ofEmpty);
  };
  auto isAligned = [](const Buffer &buffer) { return buffer.alignment != 1; };
  addIf(
      isPlan || llvm::any_of(buffers, isAligned), "alignment",
      [&](size_t row) { return std::to_string(buffers[row].alignment); },
      std::nullopt);
  addNumbersIf(
      llvm::any_of(table.hints, [](int64_t hint) { return hint >= 0; }), "hint",
      table.hints, "-1");
  // Lists by row, with a space before each item.
  using Lists = llvm::SmallVector<std::string, 0>;
  auto addTo = [&](Lists &lists, size_t row, const llvm::Twine &item) {
    lists.resize(buffers.size());
    lists[row] += (" " + item).str();
  };
  auto addListsIf = [&](bool isPrinted, const char *name, const Lists &lists) {
    addIf(
        isPrinted, name,
        [&](size_t row) {
          return row < lists.size() && !lists[row].empty()
                     ? lists[row].substr(1)
                     : "";
        },
        "");
  };
  Lists gaps, conflicts, inPlace, inPlaceAny, penalties;
  for (auto [row, buffer] : llvm::enumerate(buffers))
    for (const TickInterval &gap : buffer.gaps)
      addTo(gaps, row, llvm::Twine(gap.begin) + "-" + llvm::Twine(gap.end));
  for (auto [a, b] : table.problem.conflicts)
    addTo(conflicts, a, table.ids[b]);
  for (const InPlacePair &pair : table.problem.inPlacePairs)
    addTo(pair.condition == InPlaceCondition::SameOffset ? inPlace : inPlaceAny,
          pair.later, table.ids[pair.earlier]);
  if (table.penalties)
    for (const ReusePenalty &item : *table.penalties)
      addTo(penalties, item.first,
            table.ids[item.second] + "=" + llvm::Twine(item.penalty));
  addListsIf(!gaps.empty(), "gaps", gaps);
  addListsIf(!conflicts.empty(), "conflicts", conflicts);
  addListsIf(!inPlace.empty(), "in-place", inPlace);
  addListsIf(!inPlaceAny.empty(), "in-place-any", inPlaceAny);
  addListsIf(table.penalties.has_value(), "penalties", penalties);
  addNumbersIf(!table.reads.empty(), "reads", table.reads, "0");
  addNumbersIf(!table.writes.empty(), "writes", table.writes, "0");
  addIf(
      !table.regions.empty(), "region",
      [&](size_t row) { return table.regions[row]; }, "");
  addIf(
      isPlan || !offsets.empty() || hasFixedOffsets(table.problem), "offset",
      [&](size_t row) -> std::string {
        if (!offsets.empty())
          return std::to_string(offsets[row]);
        std::optional<int64_t> fixed = buffers[row].fixedOffset;
        return fixed ? std::to_string(*fixed) : "";
      },
      "0");

  llvm::SmallVector<std::string> fields = {"id", "lower", "upper", "size"};
  for (const PrintedColumn &column : columns)
    fields.push_back(column.name);
  visit(fields);
  auto begin = [&](llvm::StringRef id, int64_t begin, int64_t end,
                   int64_t size) {
    fields.assign({id.str(), std::to_string(begin), std::to_string(end),
                   std::to_string(size)});
  };
  for (const auto &[row, buffer] : llvm::enumerate(buffers)) {
    begin(table.ids[row], buffer.begin, buffer.end, buffer.size);
    for (const PrintedColumn &column : columns)
      fields.push_back(column.getField(row));
    visit(fields);
  }
  for (const EmptyBuffer &empty : table.empties) {
    begin(empty.id, empty.begin, empty.end, 0);
    for (const PrintedColumn &column : columns)
      fields.push_back(
          column.ofEmpty.value_or(std::to_string(empty.alignment)));
    visit(fields);
  }
}

void buffer_merge::printBufferTable(llvm::raw_ostream &os,
                                    const BufferTable &table,
                                    llvm::ArrayRef<int64_t> offsets,
                                    bool isPlan) {
  visitTableRows(
      table, offsets, isPlan, [&](llvm::ArrayRef<std::string> fields) {
        llvm::interleave(
            fields, os,
            [&](const std::string &field) { printTableField(os, field); }, ",");
        os << '\n';
      });
}
