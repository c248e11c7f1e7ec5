import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

/** Mutants of the restriction run against its own tests, but for those that look at other packages or start a process. */
export default defineConfig({
  ...config,
  test: {
    isolate: false,
    include: ["packages/entitlement/test/**/*.test.ts"],
    exclude: ["**/reach.test.ts", "**/readme.test.ts"],
  },
});
