import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { compilePackages } from "../packages/odata/src/testing/compiled-packages.ts";
import { pages } from "./pages.ts";

const find = (pattern: RegExp) =>
  pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(pattern)].map((found) => ({ page, found })),
  );

const examples = find(/^```ts\n([\s\S]*?)^```\n+```text\n([\s\S]*?)^```$/gm).map(
  ({ page, found: [, code = "", output = ""] }, i) => ({ page, nth: i + 1, code, output }),
);

const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
const stripTypes = (code: string): string => ts.transpileModule(code, { compilerOptions }).outputText;

// Examples import the compiled packages, as those of a reader do.
beforeAll(() => compilePackages(), 300_000);

test.each(examples)(
  "the example of $page ($nth) prints what the page shows",
  ({ page, nth, code, output }) => {
    // Beside the page, so that it imports what a reader of the page would.
    const file = join(dirname(page), `.example-${nth}.mjs`);
    writeFileSync(file, stripTypes(code));
    try {
      const { stdout, stderr } = spawnSync("node", [file], { encoding: "utf8" });
      expect(stderr).toBe("");
      expect(stdout).toBe(output);
    } finally {
      rmSync(file);
    }
  },
);

const quotes = find(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm).map(
  ({ page, found: [, file = "", code = ""] }) => ({
    page,
    file,
    code,
  }),
);

describe.runIf(quotes.length > 0)("quotations", () => {
  test.each(quotes)("$page quotes $file exactly", ({ file, code }) => {
    expect(readFileSync(file, "utf8")).toContain(code);
  });
});
