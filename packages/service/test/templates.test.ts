import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { expect, test } from "vitest";
import { toGrantCatalog } from "../src/cli/entitlement/grant-catalog.ts";
import {
  type EntitlementTemplate,
  entitlementTemplates,
  type TemplateName,
  templateResources,
} from "../src/cli/entitlement/templates.ts";
import { type ListingTopic, listingTopics } from "../src/listing-topics.ts";

const file = fileURLToPath(new URL("../../../docs/entitlement.md", import.meta.url));

/** Replaces the rows of the table under a heading row. */
function withRows(page: string, heading: string, rows: readonly string[]): string {
  const start = page.indexOf(heading) + heading.length;
  expect(start).toBeGreaterThan(heading.length);
  const before = /^(?:\|.*\n)*/.exec(page.slice(start))?.[0] ?? "";
  return page.slice(0, start) + rows.map((row) => `${row}\n`).join("") + page.slice(start + before.length);
}

const catalog = toGrantCatalog(sampleCatalog);
const templates = Object.entries(entitlementTemplates) as readonly (readonly [
  TemplateName,
  EntitlementTemplate,
])[];
const topics = Object.entries(listingTopics) as readonly (readonly [string, ListingTopic])[];

const templateRow = ([name, { purpose, grants }]: (typeof templates)[number]) => {
  const channels = Object.entries(grants.channels).flatMap(([channel, isOpen]) => (isOpen ? [channel] : []));
  const resources = Object.entries(templateResources(name, catalog)).map(([resource, grant]) => {
    const fields = grant.fields === "*" ? "all" : String(grant.fields.length);
    const more = [grant.contact ? "contacts" : "", grant.private ? "private" : ""].filter(
      (text) => text !== "",
    );
    return `${resource} (${[fields, ...more].join(", ")})`;
  });
  return `| \`${name}\` | ${purpose} | ${grants.products.join(", ")} | ${channels.join(", ")} | ${resources.join(", ")} |`;
};

const topicRow = ([name, { reason, fields }]: (typeof topics)[number]) => {
  const isIn = templates.map(([, { leavesOut }]) =>
    leavesOut?.some((topic) => topic === name) ? "–" : "yes",
  );
  return `| \`${name}\` | ${reason} | ${fields.length} | ${isIn.join(" | ")} |`;
};

test("the page has every template and every topic, with what they hold", async () => {
  const page = readFileSync(file, "utf8");
  const withTemplates = withRows(
    page,
    "| template | for | products | channels | resources |\n|---|---|---|---|---|\n",
    templates.map(templateRow),
  );
  const withTopics = withRows(
    withTemplates,
    `| topic | why it is apart | fields | ${templates.map(([name]) => name).join(" | ")} |\n|---|---|--:|---|---|---|---|\n`,
    topics.map(topicRow),
  );
  await expect(withTopics).toMatchFileSnapshot(file);
});
