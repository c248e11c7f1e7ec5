import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);

test("the example of the README prints what it says", () => {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(readme)?.[1] ?? "";
  const flags = ["--conditions=@cadastre/source", "--import", "tsx", "--input-type=module", "--eval"];
  const printed = execFileSync(process.execPath, [...flags, block("js")], {
    cwd: fileURLToPath(root),
    encoding: "utf8",
  });
  expect(printed).toBe(block("text"));
  expect(printed).not.toBe("");
});
