import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { attributes, type Survivorship } from "../../src/property/index.ts";

const file = fileURLToPath(new URL("../../../../docs/properties.md", import.meta.url));
const page = readFileSync(file, "utf8");
const heading = "| Attribute | Rule | Of |\n|---|---|---|\n";

const fieldsOf = ({ from }: Survivorship): string =>
  typeof from === "string"
    ? `\`${from}\``
    : Object.entries(from)
        .map(([part, field]) => `\`${part}\`: \`${field}\``)
        .join(", ");

const rows = Object.entries(attributes).map(
  ([name, survivorship]) => `| \`${name}\` | ${survivorship.rule} | ${fieldsOf(survivorship)} |\n`,
);

test("the page has every attribute, with its rule and fields", async () => {
  const start = page.indexOf(heading) + heading.length;
  const before = /^(?:\|.*\n)*/.exec(page.slice(start))?.[0] ?? "";
  const told = page.slice(0, start) + rows.join("") + page.slice(start + before.length);
  await expect(told).toMatchFileSnapshot(file);
});
