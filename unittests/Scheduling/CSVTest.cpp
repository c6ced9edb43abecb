//===- CSVTest.cpp - Tests of tables of buffers as text ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/CSV.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

static llvm::Expected<BufferTable> parse(llvm::StringRef text) {
  return parseBufferTable(llvm::MemoryBufferRef(text, "in.csv"));
}

/// Return the error of parsing `text`, or nothing.
static std::string getError(llvm::StringRef text) {
  llvm::Expected<BufferTable> table = parse(text);
  return table ? "" : llvm::toString(table.takeError());
}

/// Return what is printed for `text`.
static std::string reprint(llvm::StringRef text,
                           llvm::ArrayRef<int64_t> offsets = {}) {
  llvm::Expected<BufferTable> table = parse(text);
  if (!table)
    return llvm::toString(table.takeError());
  std::string result;
  llvm::raw_string_ostream os(result);
  printBufferTable(os, *table, offsets);
  return result;
}

TEST(CSV, ColumnsInAnyOrder) {
  EXPECT_EQ(reprint("size,upper,id,lower\n4,9,a,-3\n"),
            "id,lower,upper,size\na,-3,9,4\n");
}

TEST(CSV, UnknownColumn) {
  EXPECT_EQ(reprint("id,lower,upper,size,alignement\na,0,8,4,64\n"),
            "in.csv:1:21: there is no column 'alignement'; the nearest is "
            "'alignment'");
  EXPECT_EQ(reprint("id,lower,uper,size\n"),
            "in.csv:1:10: there is no column 'uper'; the nearest is 'upper'");
}

TEST(CSV, TablesAsTheyCome) {
  const char *expected = "id,lower,upper,size\na,0,8,4\nb,4,9,2\n";
  EXPECT_EQ(reprint("id;lower;upper;size\na;0;8;4\nb;4;9;2\n"), expected);
  EXPECT_EQ(reprint("id\tlower\tupper\tsize\na\t0\t8\t4\nb\t4\t9\t2\n"),
            expected);
  EXPECT_EQ(reprint("ID, Lower ,UPPER, size\n a, 0,8 ,4\nb , 4, 9, 2 \n"),
            expected);
  EXPECT_EQ(reprint("\"id\",lower,upper,size\n\"a\",0,\"8\",4\n "
                    "\"b\" ,4,9,2\n"),
            expected);
  EXPECT_EQ(reprint("# buffers\n\nid,lower,upper,size\n\n# the first\n"
                    "a,0,8,4\n  # the second\nb,4,9,2\n\n"),
            expected);
}

TEST(CSV, Quotes) {
  const char *text = "id,lower,upper,size,conflicts\n"
                     "\"a, \"\"first\"\"\",0,8,4,\"b;c #d\"\n"
                     "b;c,0,8,4,\n\"#d\",0,8,4,\n\" e\",0,8,4,\n";
  EXPECT_EQ(reprint(text), "id,lower,upper,size,conflicts\n"
                           "\"a, \"\"first\"\"\",0,8,4,\"b;c #d\"\n"
                           "\"b;c\",0,8,4,\n\"#d\",0,8,4,\n"
                           "\" e\",0,8,4,\n");
  EXPECT_EQ(reprint(reprint(text)), reprint(text));
  EXPECT_EQ(reprint("id,lower,upper,size\n\"a,0,8,4\n"),
            "in.csv:2:1: the quotes have no end");
  EXPECT_EQ(reprint("id,lower,upper,size\n\"a\" b,0,8,4\n"),
            "in.csv:2:5: there is text after the quotes");
}

TEST(CSV, RowsOfSizeZeroAreNoBuffers) {
  const char *text = "id,lower,upper,size,conflicts\na,0,8,4,b c\nb,2,5,0,a\n"
                     "c,9,10,4,\n";
  llvm::Expected<BufferTable> table = parse(text);
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(table->problem.buffers.size(), 2u);
  EXPECT_EQ(table->problem.conflicts.size(), 1u);
  EXPECT_EQ(table->lines[1], 4u);
  EXPECT_EQ(reprint(text, {0, 4}),
            "id,lower,upper,size,conflicts,offset\na,0,8,4,c,0\n"
            "c,9,10,4,,4\nb,2,5,0,,0\n");
  EXPECT_EQ(reprint("id,lower,upper,size\na,0,8,4\nb,2,5,0\na,2,5,0\n"),
            "in.csv:4:1: id 'a' is there twice, first in line 2");
}

TEST(CSV, AliasesAndInclusiveEnd) {
  EXPECT_EQ(reprint("buffer,begin,end,size\na,0,8,4\n"),
            "id,lower,upper,size\na,0,9,4\n");
  EXPECT_EQ(reprint("buffer_id,start,upper,size\na,0,8,4\n"),
            "id,lower,upper,size\na,0,8,4\n");
  EXPECT_EQ(reprint("id,begin,end-inclusive,size\na,0,8,4\n"),
            "id,lower,upper,size\na,0,9,4\n");
  EXPECT_EQ(reprint("id,begin,end-exclusive,size\na,0,8,4\n"),
            "id,lower,upper,size\na,0,8,4\n");
}

/// Return the error of reading offsets from `text`, or nothing.
static std::string getOffsetsError(llvm::StringRef text) {
  llvm::Expected<BufferTable> table =
      parseOffsetTable(llvm::MemoryBufferRef(text, "q.csv"));
  return table ? "" : llvm::toString(table.takeError());
}

TEST(CSV, OffsetsNeedNoProblem) {
  llvm::Expected<BufferTable> table =
      parseOffsetTable(llvm::MemoryBufferRef("offset,id\n64,a\n,b\n", "q.csv"));
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(table->ids[0], "a");
  EXPECT_EQ(table->problem.buffers[0].fixedOffset, 64);
  EXPECT_EQ(table->problem.buffers[0].size, 0);
  EXPECT_EQ(table->problem.buffers[0].begin, table->problem.buffers[0].end);
  EXPECT_FALSE(table->problem.buffers[1].fixedOffset.has_value());

  EXPECT_EQ(getOffsetsError("id,lower,upper,size\n"),
            "q.csv:1:1: column 'offset' is missing");
  EXPECT_EQ(getOffsetsError("offset\n"), "q.csv:1:1: column 'id' is missing");
  EXPECT_EQ(getOffsetsError("id,offset,lower\n"),
            "q.csv:1:1: column 'upper' is missing");
  EXPECT_EQ(getOffsetsError("id,offset,end\n"),
            "q.csv:1:1: column 'lower' is missing");
  EXPECT_EQ(getOffsetsError("id,offset\na,-1\n"),
            "q.csv:2:3: offset: -1 is out of range");
  EXPECT_EQ(getOffsetsError("id,offset,alignment\n"
                            "a,0,2305843009213693952\n"
                            "b,0,2305843009213693952\n"),
            "");
}

TEST(CSV, OptionalColumnsAppearWhereUsed) {
  EXPECT_EQ(reprint("id,lower,upper,size,alignment,hint,offset,gaps\n"
                    "a,0,8,4,1,-1,,\n"),
            "id,lower,upper,size\na,0,8,4\n");
  EXPECT_EQ(reprint("id,lower,upper,size,alignment,hint,offset,gaps\n"
                    "a,0,8,4,8,-1,16,\n"
                    "b,0,8,4,1,5,,\n"),
            "id,lower,upper,size,alignment,hint,offset\n"
            "a,0,8,4,8,-1,16\n"
            "b,0,8,4,1,5,\n");
  EXPECT_EQ(reprint("id,lower,upper,size\na,0,8,4\nb,0,9,4\n", {4, 0}),
            "id,lower,upper,size,offset\na,0,8,4,4\nb,0,9,4,0\n");
}

TEST(CSV, Gaps) {
  const char *text = "id,lower,upper,size,gaps\n"
                     "a,-9,8,4,-7--3 2-5\nb,0,8,4,\n";
  EXPECT_EQ(reprint(text), text);
  // The last tick counts as it does in a lifetime.
  EXPECT_EQ(reprint("id,lower,end,size,gaps\na,-9,7,4,-7--4 2-4\n"),
            "id,lower,upper,size,gaps\na,-9,8,4,-7--3 2-5\n");
  llvm::Expected<BufferTable> offsets = parseOffsetTable(
      llvm::MemoryBufferRef("id,offset,gaps\na,0,2-5\n", "q.csv"));
  ASSERT_TRUE(bool(offsets));
  EXPECT_TRUE(offsets->problem.buffers[0].gaps.empty());
}

TEST(CSV, Conflicts) {
  const char *text = "id,lower,upper,size,conflicts\n"
                     "a,0,8,4,c b\nb,9,10,4,\nc,10,12,4,b\n";
  EXPECT_EQ(reprint(text), text);
  EXPECT_EQ(getError("id,lower,upper,size,conflicts\na,0,8,4,b d\nb,9,10,4,\n"),
            "in.csv:2:11: conflicts: there is no id 'd'");
  EXPECT_EQ(getError("id,lower,upper,size,conflicts\na,0,8,4,a\n"),
            "in.csv:2:9: conflicts: 'a' is in conflict with itself");
}

TEST(CSV, InPlacePairs) {
  const char *text = "id,lower,upper,size,in-place,in-place-any\n"
                     "a,0,8,4,,\nb,7,9,4,a c,\nc,1,8,4,,\nd,8,9,4,,b\n";
  EXPECT_EQ(reprint(text), text);
  EXPECT_EQ(reprint("id,lower,upper,size,in-place-any\na,0,8,4,\nb,7,9,4,\n"),
            "id,lower,upper,size\na,0,8,4\nb,7,9,4\n");
  const char *header = "id,lower,upper,size,in-place\n";
  auto getErrorOf = [&](const char *rows) {
    return getError((llvm::Twine(header) + rows).str().c_str());
  };
  EXPECT_EQ(getErrorOf("a,0,8,4,\nb,7,9,4,a d\n"),
            "in.csv:3:11: in-place: there is no id 'd'");
  EXPECT_EQ(getErrorOf("a,0,8,4,a\n"),
            "in.csv:2:9: in-place: the last tick of 'a' is not the first of "
            "'a'");
  EXPECT_EQ(getErrorOf("a,0,8,4,\nb,6,9,4,a\n"),
            "in.csv:3:9: in-place: the last tick of 'a' is not the first of "
            "'b'");
}

TEST(CSV, LineEnds) {
  EXPECT_EQ(reprint("id,lower,upper,size\n"), "id,lower,upper,size\n");
  EXPECT_EQ(reprint("id,lower,upper,size\na,0,8,4"),
            "id,lower,upper,size\na,0,8,4\n");
  EXPECT_EQ(reprint("id,lower,upper,size\r\na,0,8,4\r\n"),
            "id,lower,upper,size\na,0,8,4\n");
}

TEST(CSV, WrongHeader) {
  EXPECT_EQ(getError(""),
            "in.csv:1:1: the row with the names of the columns is missing");
  EXPECT_EQ(getError("\n# nothing\n"),
            "in.csv:1:1: the row with the names of the columns is missing");
  EXPECT_EQ(getError("id,lower,upper\n"),
            "in.csv:1:1: column 'size' is missing");
  EXPECT_EQ(getError("id,lower,size\n"),
            "in.csv:1:1: column 'upper' is missing");
  EXPECT_EQ(getError("id,lower,upper,size,size\n"),
            "in.csv:1:21: column 'size' is there twice");
  EXPECT_EQ(getError("id,lower,start,upper,size\n"),
            "in.csv:1:10: column 'start' says the same as column 'lower'");
  EXPECT_EQ(getError("id,lower,upper,end,size\n"),
            "in.csv:1:16: column 'end' says the same as column 'upper'");
}

TEST(CSV, WrongRows) {
  auto getRowError = [](llvm::StringRef row) {
    return getError(("id,lower,upper,size\nx,0,1,1\n" + row + "\n").str());
  };
  EXPECT_EQ(getRowError("a,0,8"), "in.csv:3:6: too few fields: 3 instead of 4");
  EXPECT_EQ(getRowError("a,0,8,4,5"),
            "in.csv:3:9: too many fields: 5 instead of 4");
  EXPECT_EQ(getRowError("a,0,8,4,,"), "");
  EXPECT_EQ(getRowError("x,0,8,4"),
            "in.csv:3:1: id 'x' is there twice, first in line 2");
  EXPECT_EQ(getRowError("a,0,8,many"),
            "in.csv:3:7: size: 'many' is not an integer");
  EXPECT_EQ(getRowError("a,0,8,"), "in.csv:3:7: size: '' is not an integer");
  EXPECT_EQ(getRowError("a,0,8,1.5"),
            "in.csv:3:7: size: '1.5' is not an integer");
  EXPECT_EQ(getRowError("a,0,8,-4"), "in.csv:3:7: size: -4 is negative");
  EXPECT_EQ(getRowError("a,8,8,4"), "in.csv:3:5: the lifetime [8, 8) is empty");
  EXPECT_EQ(getRowError("a,0,99999999999999999999,4"),
            "in.csv:3:5: upper: 99999999999999999999 does not fit 64 bits");
  EXPECT_EQ(getRowError("a,0,8,9223372036854775807"),
            "in.csv:3:7: size: 9223372036854775807 exceeds " +
                std::to_string(maxBytes) + " bytes");
  EXPECT_EQ(getRowError("a,0,8," + std::to_string(maxBytes)),
            "in.csv:3:7: size: the sum of sizes exceeds " +
                std::to_string(maxBytes) + " bytes");
}

TEST(CSV, WrongOptionalFields) {
  auto getFieldError = [](llvm::StringRef column, llvm::StringRef field) {
    return getError(
        ("id,lower,end,size," + column + "\na,0,8,4," + field + "\n").str());
  };
  EXPECT_EQ(getFieldError("alignment", "0"),
            "in.csv:2:9: alignment: 0 is not positive");
  EXPECT_EQ(getFieldError("alignment", ""),
            "in.csv:2:9: alignment: '' is not an integer");
  EXPECT_EQ(getFieldError("offset", "-1"),
            "in.csv:2:9: offset: -1 is out of range");
  EXPECT_EQ(getFieldError("hint", "low"),
            "in.csv:2:9: hint: 'low' is not an integer");
  EXPECT_EQ(getFieldError("gaps", "2-3@0:4"),
            "in.csv:2:9: gaps: a gap with a window is not supported");
  for (const char *range : {"2", "2-", "-3", "2-x", "2-3-4", "2:3"})
    EXPECT_EQ(getFieldError("gaps", range),
              "in.csv:2:9: gaps: '" + std::string(range) +
                  "' is not a range of ticks such as 2-5");
  EXPECT_EQ(getFieldError("gaps", "1-2 2-4"),
            "in.csv:2:13: gaps: [2, 5) is empty or leaves no live tick before "
            "or after it");
  EXPECT_EQ(getFieldError("gaps", "1-2  4-5"),
            "in.csv:2:13: gaps: '' is not a range of ticks such as 2-5");
  EXPECT_EQ(getError("id,lower,end,size,alignment\na,0,8,4,2147483647\n"
                     "b,0,8,4,2147483629\n"),
            "in.csv:3:9: alignment: no common multiple of 2147483629 and those "
            "before is below " +
                std::to_string(maxBytes));
  EXPECT_EQ(getError("id,lower,end,size\na,0,9223372036854775807,4\n"),
            "in.csv:2:5: end: 9223372036854775807 is too large");
}

TEST(CSV, Penalties) {
  std::string header = "id,lower,upper,size,penalties\n";
  for (llvm::StringRef rows :
       {"a=b,0,8,4,\nc,8,9,4,a=b=500\nd,8,9,4,c=1 a=b=20\n", "a,0,8,4,\n"})
    EXPECT_EQ(reprint(header + rows.str()), header + rows.str());
  auto getFieldError = [&](llvm::StringRef field) {
    return getError(header + "a=b,0,8,4,\nc,8,9,4," + field.str() + "\n");
  };
  for (const char *field : {"c", "a=b", "a=b=x", "a=b=0", "a=b=-1"})
    EXPECT_EQ(getFieldError(field),
              "in.csv:3:9: penalties: '" + std::string(field) +
                  "' is not an id with a penalty such as a=500");
  EXPECT_EQ(getFieldError("d=1"), "in.csv:3:9: penalties: there is no id 'd'");
  EXPECT_EQ(getFieldError("a=b=2 c=1"),
            "in.csv:3:15: penalties: 'c' has a penalty with itself");
}
