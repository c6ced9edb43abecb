// Passes of buffer-merge in a program that has MLIR's C API alone: the plugin registers them.
//
//   merge PLUGIN FILE PIPELINE
#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// `mlir::PassPluginLibraryInfo`, which a plugin returns.
typedef struct {
  uint32_t apiVersion;
  const char *name, *version;
  void (*registerPasses)(void);
} PluginInfo;

static int fail(const char *what) {
  fprintf(stderr, "merge: %s\n", what);
  return 1;
}

static void print(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, file);
}

static char *readFile(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *text = NULL;
  size_t size = 0, count;
  do {
    text = realloc(text, size + 4097);
    count = text ? fread(text + size, 1, 4096, file) : 0;
    size += count;
  } while (count);
  fclose(file);
  if (text)
    text[size] = 0;
  return text;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return fail("usage: merge PLUGIN FILE PIPELINE");
  void *plugin = dlopen(argv[1], RTLD_NOW);
  if (!plugin)
    return fail(dlerror());
  PluginInfo (*getInfo)(void);
  *(void **)&getInfo = dlsym(plugin, "mlirGetPassPluginInfo");
  if (!getInfo || getInfo().apiVersion != 1)
    return fail("this is no plugin with passes");
  getInfo().registerPasses();

  char *text = readFile(argv[2]);
  if (!text)
    return fail("the file cannot be read");
  MlirContext context = mlirContextCreateWithThreading(false);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllPasses();

  // What is wrong is printed by MLIR.
  int status = 1;
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  free(text);
  if (!mlirModuleIsNull(module)) {
    MlirPassManager passes = mlirPassManagerCreate(context);
    MlirOperation op = mlirModuleGetOperation(module);
    if (mlirLogicalResultIsSuccess(mlirParsePassPipeline(
            mlirPassManagerGetAsOpPassManager(passes),
            mlirStringRefCreateFromCString(argv[3]), print, stderr)) &&
        mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(passes, op))) {
      mlirOperationPrint(op, print, stdout);
      putchar('\n');
      status = 0;
    }
    mlirPassManagerDestroy(passes);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return status;
}
