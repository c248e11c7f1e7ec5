import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Files below this size gain nothing from compression, in bytes. */
const smallest = 1000;

/** Writes a copy with `.br` and one with `.gz` beside each file of the build that is large enough. */
export const compressedCopies: Plugin = {
  name: "compressed-copies",
  apply: "build",
  writeBundle({ dir }, bundle) {
    if (dir === undefined) throw new Error("the build has no output folder");
    for (const name of Object.keys(bundle)) {
      const file = join(dir, name);
      const bytes = readFileSync(file);
      if (bytes.length < smallest) continue;
      const parameters = {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > 400_000 ? 9 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: parameters }));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};
