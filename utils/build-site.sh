#!/usr/bin/env bash
# Make a site of the documents, build/site/html, with mkdocs.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/install-packages.sh --site
utils/build.sh release mlir-doc
rm -rf build/site
cmake --install build/release --prefix build/site --component documents > build/site.log
cp build/release/docs/Passes.md build/site/share/doc/buffer-merge/docs/
mkdocs build --quiet
