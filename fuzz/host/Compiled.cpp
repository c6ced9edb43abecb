//===- Compiled.cpp - Programs compiled ahead of time ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

void CompiledBatch::add(ModuleOp module, std::vector<int64_t> expected,
                        std::string label) {
  original.push_back({module.clone(), std::move(expected), std::move(label)});
  originalTexts.push_back(print(module));
}

void CompiledBatch::addMerged(ModuleOp module, std::string label) {
  merged.push_back(
      {module.clone(), original.back().expected, std::move(label)});
  mergedTexts.push_back(print(module));
  origins.push_back(original.size() - 1);
}

/// Write `module` as LLVM IR to `path`.
static std::string writeModule(ModuleOp module, StringRef path) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!translated || code)
    return "no LLVM IR";
  os << *translated;
  return "";
}

static std::string execute(ArrayRef<StringRef> command, StringRef output) {
  std::string error;
  std::optional<StringRef> redirects[] = {StringRef(), output, output};
  if (llvm::sys::ExecuteAndWait(command[0], command, std::nullopt, redirects, 0,
                                0, &error) == 0)
    return "";
  auto buffer = llvm::MemoryBuffer::getFile(output);
  return (command[0] + " fails: " + error +
          (buffer ? (*buffer)->getBuffer() : ""))
      .str();
}

/// Compile `programs` with their functions in `directory`, and run them.
/// Returns what went wrong, or an empty string and the lines that they print.
static std::string runCompiled(ArrayRef<ModuleOp> modules, size_t numPrograms,
                               const Twine &directory,
                               SmallVector<std::string> &lines) {
  std::string prefix = (directory + "/").str(), output = prefix + "output";
  std::string program = prefix + "programs", table = prefix + "table.c";
  std::vector<std::string> objects;
  for (ModuleOp module : modules) {
    std::string path = prefix + std::to_string(objects.size());
    objects.push_back(path + ".o");
    std::string error = writeModule(module, path + ".ll");
    if (error.empty())
      error = execute({BUFFER_MERGE_CLANG, "-O2", "-Wno-override-module", "-c",
                       path + ".ll", "-o", objects.back()},
                      output);
    if (!error.empty())
      return error;
  }
  {
    std::error_code code;
    llvm::raw_fd_ostream os(table, code);
    for (size_t k = 0; k < numPrograms; ++k)
      os << "void p" << k << "_main(void);\n";
    os << "const unsigned numPrograms = " << numPrograms
       << ";\nvoid (*const programs[])(void) = {\n";
    for (size_t k = 0; k < numPrograms; ++k)
      os << "p" << k << "_main,\n";
    os << "};\n";
  }
  SmallVector<StringRef> command = {BUFFER_MERGE_CLANG, "-O1", table,
                                    BUFFER_MERGE_RUNTIME};
  llvm::append_range(command, objects);
  StringRef library = BUFFER_MERGE_RUNNER_UTILS;
  std::string path =
      ("-Wl,-rpath," + llvm::sys::path::parent_path(library)).str();
  command.append({library, path, "-lm", "-o", program});
  std::string error = execute(command, output);
  if (error.empty())
    error = execute({program}, output);
  if (!error.empty())
    return error;
  auto buffer = llvm::MemoryBuffer::getFile(output);
  SmallVector<StringRef> found;
  if (buffer)
    (*buffer)->getBuffer().split(found, '\n', -1, /*KeepEmpty=*/false);
  if (found.size() != numPrograms)
    return "the programs print too little";
  for (StringRef line : found)
    lines.push_back(line.split(':').second.str());
  return "";
}

std::vector<Failure> CompiledBatch::run() {
  std::vector<Failure> failures;
  if (original.empty())
    return failures;
  std::string error;
  SmallVector<OwningOpRef<ModuleOp>, 2> modules;
  SmallVector<std::string> lines;
  SmallString<64> directory;
  if (llvm::sys::fs::createUniqueDirectory("buffer-merge-fuzz", directory))
    error = "no directory for temporary files";
  if (error.empty())
    modules.push_back(JitBatch::link(original, 0, usesGenericFunctions, error));
  if (error.empty() && !merged.empty())
    modules.push_back(
        JitBatch::link(merged, original.size(), usesGenericFunctions, error));
  if (error.empty()) {
    SmallVector<ModuleOp> parts;
    for (OwningOpRef<ModuleOp> &module : modules)
      parts.push_back(*module);
    error =
        runCompiled(parts, original.size() + merged.size(), directory, lines);
  }
  (void)llvm::sys::fs::remove_directories(directory);
  if (!error.empty())
    failures.push_back({"compiler", error, "", ""});

  std::vector<bool> isWrong(original.size());
  for (auto [number, line] : llvm::enumerate(lines)) {
    bool isOriginal = number < original.size();
    size_t k = isOriginal ? number : number - original.size();
    size_t origin = isOriginal ? k : origins[k];
    const Program &program = isOriginal ? original[k] : merged[k];
    std::string expected;
    for (int64_t value : program.expected)
      expected += " " + std::to_string(value);
    // Programs that are wrong as they are say nothing.
    if (line == expected || isWrong[origin])
      continue;
    isWrong[origin] = isOriginal;
    failures.push_back(
        {program.label,
         "compiled at -O2, it prints" + line + ", not" + expected,
         originalTexts[origin], isOriginal ? "" : mergedTexts[k]});
  }
  original.clear();
  merged.clear();
  originalTexts.clear();
  mergedTexts.clear();
  origins.clear();
  return failures;
}
