import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takesEffectText, takesEffectWithin } from "../src/takes-effect.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const seconds = takesEffectWithin / 1000;

/** Where it is said how soon a change takes effect: the group is the number of seconds. */
const statements: readonly (readonly [file: string, pattern: RegExp])[] = [
  [
    "packages/service/README.md",
    /remembered for (\S+) seconds, so a new key, a revocation and a new entitlement/,
  ],
  ["packages/service/README.md", /a running service sees a change within (\S+) seconds/],
  ["packages/service/README.md", /A running service knows within (\S+) seconds/],
  ["docs/properties.md", /A resolution counts within (\S+) seconds/],
  ["docs/architecture.md", /remembers what it says for (\S+) seconds/],
  ["docs/entitlement.md", /\| an API key \| `cadastre key revoke` \| (\S+) s;/],
  ["docs/entitlement.md", /\| a grant \| a document with a higher `ver` that lacks it \| (\S+) s;/],
];

test.each(statements)("%s says how soon a change takes effect: %s", (file, pattern) => {
  expect(pattern.exec(read(file))?.[1]).toBe(String(seconds));
});

test("the commands say so too, in the words of one place", () => {
  expect(takesEffectText("knows")).toBe(`A running service knows within ${seconds} seconds.`);
  const folder = "packages/service/src/cli";
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".ts")))
    expect(read(join(folder, file)), file).not.toMatch(/within \d+ seconds/);
});

test("no page says of a running service that it takes another time", () => {
  const pages = [
    "README.md",
    "packages/service/README.md",
    ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ];
  for (const page of pages.filter((name) => name.endsWith(".md")))
    for (const [said, time] of read(page).matchAll(/running service [^.]{0,60}within (\S+) seconds/g))
      expect([page, said, time]).toEqual([page, said, String(seconds)]);
});
