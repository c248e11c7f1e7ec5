import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig } from "vite";
import { compressedCopies } from "./build/compressed-copies.ts";
import { loadedLibraries } from "./build/loaded-libraries.ts";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // The service may be mounted below any path.
  base: "./",
  plugins: [loadedLibraries, compressedCopies],
  resolve: { conditions: ["@cadastre/source", ...defaultClientConditions] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
});
