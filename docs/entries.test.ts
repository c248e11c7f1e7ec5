import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test.each(readdirSync("packages"))(
  "the README of %s lists the published entries of the package",
  (folder) => {
    const { name, exports } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8")) as {
      readonly name: string;
      readonly exports: object;
    };
    const published = Object.keys(exports).filter((path) => !["./testing", "./package.json"].includes(path));
    const [, section = ""] =
      /^## Entries\n([\s\S]*?)^## /m.exec(readFileSync(`packages/${folder}/README.md`, "utf8")) ?? [];
    const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, entry = ""]) => entry);
    expect(listed.toSorted()).toEqual(published.map((path) => name + path.slice(1)).toSorted());
  },
);
