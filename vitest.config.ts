import { defineConfig } from "vitest/config";

// Tests read the neighbours' source, not their build: an edit is seen at once and no build is needed. Of others they read what
// Node.js does: what is meant for bundlers (`module`) need not run.
const conditions = ["@cadastre/source", "node", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // Threads that the tests start run the source as well.
    execArgv: ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"],
    include: ["packages/*/test/**/*.test.ts", "examples/*/*.test.ts", "docs/*.test.ts"],
    // Not one less than there are: of two cores one would wait.
    maxWorkers: "100%",
    // Files share their imports, which are half of what a short file takes: what one changes of the process it puts back.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
