import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entitlementErrors, parseEntitlement } from "@cadastre/entitlement";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("../../../docs/entitlement.md", import.meta.url));
const page = readFileSync(file, "utf8");

/** The table under a heading row, without it. */
const tableUnder = (heading: string) => {
  const start = page.indexOf(heading) + heading.length;
  const rows = /^(?:\|.*\n)*/.exec(page.slice(start))?.[0] ?? "";
  return { start, rows };
};

/** What a message tells, by its name. */
const details = new Proxy<Record<string, string>>({}, { get: (_, name) => String(name) });

const causes = Object.entries(entitlementErrors).map(
  ([code, { kind, publicCode, message }]) =>
    `| \`${code}\` | ${kind} | \`${publicCode}\` | ${message(details)} |\n`,
);

test("the page has every cause, as the errors tell it", async () => {
  const { start, rows } = tableUnder("| cause | kind | public code | says |\n|---|---|---|---|\n");
  const told = page.slice(0, start) + causes.join("") + page.slice(start + rows.length);
  await expect(told).toMatchFileSnapshot(file);
});

const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "");

test("the example of the page is a document", () => {
  expect(parseEntitlement(example)).toEqual(example);
});

test("the page explains every member of its example, and no other", () => {
  const { rows } = tableUnder("| member | what it is |\n|---|---|\n");
  const members = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(members).toEqual(Object.keys(example as object));
});
