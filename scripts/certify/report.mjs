import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the report of a run, which the tool has written somewhere below a folder. Undefined without one. */
export function findReport(folder, name) {
  const found = readdirSync(folder, { recursive: true }).find((path) => String(path).endsWith(name));
  return found === undefined ? undefined : JSON.parse(readFileSync(join(folder, String(found)), "utf8"));
}

/** Meanings of the reasons that the tool gives, by the beginning of each reason. */
const explanations = [
  [
    "no single-valued enumeration field of this scenario's representation",
    "lookups are strings (RESO's string representation), not OData enumerations",
  ],
  [
    "no multi-valued enumeration field of this scenario's representation (category 'enum')",
    "lookups are strings (RESO's string representation), not OData enumerations",
  ],
  [
    "no multi-valued enumeration field of this scenario's representation (category 'collection')",
    "lookups are strings (RESO's string representation), not OData enumerations",
  ],
  [
    "required test parameters not available",
    "the resource has no value of this type in the dictionary, or none in the sample",
  ],
  ["resource declares no collection navigation property", "nothing leads from the resource to many records"],
  ["No records returned", "the value that the tool made up matches no record of the sample"],
];

/** Returns why a skipped scenario was skipped: the tool's reason, and what it means here. */
function reasonOf({ assertions }) {
  const told = String(assertions.at(-1)?.description ?? "").replace(/^Skipped: /, "");
  const [, meaning] = explanations.find(([start]) => told.startsWith(start)) ?? [];
  return meaning ?? `not explained: ${told}`;
}

/**
 * Sums up a detailed report of the `core` suite.
 *
 * @returns {{ passed: number, failed: readonly string[], skipped: ReadonlyMap<string, readonly string[]>, optional: readonly string[] }} skipped scenarios by
 *   reason; optional ones that could not be tested
 */
export function summarizeCore({ resourceReports }) {
  let passed = 0;
  const failed = [];
  const optional = [];
  const skipped = new Map();
  for (const { resource, scenarios } of resourceReports)
    for (const scenario of scenarios) {
      const name = `${resource}: ${scenario.tag}`;
      if (scenario.skipped === true && scenario.optional === true) {
        optional.push(`${name}: ${reasonOf(scenario)}`);
      } else if (scenario.skipped === true) {
        const reason = reasonOf(scenario);
        skipped.set(reason, [...(skipped.get(reason) ?? []), name]);
      } else if (scenario.passed) passed += 1;
      else
        failed.push(
          `${name}: ${scenario.assertions
            .filter((one) => !one.passed)
            .map((one) => one.description)
            .join("; ")}`,
        );
    }
  return { passed, failed, skipped, optional };
}

/** Lists names by resource: `Member: a, b`. */
export function byResource(names) {
  const groups = new Map();
  for (const name of names) {
    const [resource, tag] = name.split(": ");
    groups.set(resource, [...(groups.get(resource) ?? []), tag]);
  }
  return [...groups].map(([resource, tags]) => `${resource}: ${tags.join(", ")}`);
}
