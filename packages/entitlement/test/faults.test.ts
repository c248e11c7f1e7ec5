import {
  compileScope,
  EntitlementError,
  type EntitlementFault,
  findFaults,
  parseEntitlement,
} from "@cadastre/entitlement";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { document } from "./support/arbitraries.ts";
import { entitlement, grant, oregon, texas } from "./support/documents.ts";
import { entitySets } from "./support/model.ts";

const options = { entitySets, datasets: new Set([texas]) };
const faultsOf = (changes: object, at?: number) =>
  findFaults({ ...entitlement(), ...changes }, { ...options, ...(at !== undefined && { at }) });
const line = ({ path, message, suggestion }: EntitlementFault) =>
  `${path.join(".")}: ${message}${suggestion === undefined ? "" : ` (${suggestion}?)`}`;
const property = "datasets.0.resources.Property";
const ofProperty = (given: object) => ({
  datasets: [{ dataset_id: texas, resources: { Property: given } }],
});

describe("a fault names its member, and what is allowed there:", () => {
  test.each<readonly [string, object, readonly string[]]>([
    ["a member that is misspelt", { chanels: {} }, ["chanels: `chanels` is no member here (channels?)"]],
    [
      "a member that is missing",
      { channels: { api: true, odata: true } },
      ["channels.file_delivery: is missing: it must be true or false"],
    ],
    ["a misspelt value", { products: ["listin"] }, ["products.0: `listin` is not allowed (listing?)"]],
    ["a value twice", { products: ["listing", "listing"] }, ["products.1: repeats item 0: name it once"]],
    [
      "a region of the wrong form",
      { regions: [{ kind: "county", value: "Travis" }] },
      ["regions.0.value: must be a state and a county as in the records, such as `TX/Travis`"],
    ],
    [
      "a kind of region",
      { regions: [{ kind: "stat", value: "TX" }] },
      ["regions.0.kind: `stat` is not allowed (state?)"],
    ],
    ["an end before the beginning", { nbf: 9, exp: 9 }, ["exp: must be later than `nbf`"]],
    ["no dataset", { datasets: [] }, ["datasets: must be a list of at least one dataset with its resources"]],
    [
      "an unknown dataset",
      { datasets: [grant(oregon, { Property: "*" })] },
      [`datasets.0.dataset_id: \`${oregon}\` is not the id of a dataset`],
    ],
    [
      "a dataset twice",
      { datasets: [grant(texas, { Property: "*" }), grant(texas, { Media: "*" })] },
      ["datasets.1: repeats item 0: name it once"],
    ],
    [
      "an unknown resource",
      { datasets: [grant(texas, { Propety: "*" })] },
      ["datasets.0.resources.Propety: a grant names the unknown resource `Propety` (Property?)"],
    ],
    [
      "an unknown field, and a text that is no name",
      ofProperty({ fields: ["ListPrise", "*"] }),
      [
        `${property}.fields.0: a grant of \`Property\` names the unknown field \`ListPrise\` (ListPrice?)`,
        `${property}.fields.1: must be a name of letters, digits and \`_\``,
      ],
    ],
    [
      "fields of another type",
      ofProperty({ fields: "all" }),
      [`${property}.fields: must be \`"*"\`, or a list of at least one name of a field`],
    ],
    [
      "masks that do not fit, are none, or are of fields that are not granted",
      ofProperty({
        fields: ["City", "ListPrice"],
        masks: { City: "round1", ListPrice: "half", Citty: "null" },
      }),
      [
        `${property}.masks.City: the mask of \`City\` of \`Property\` does not fit its type`,
        `${property}.masks.ListPrice: must be a mask: \`null\`, \`prefix1\` to \`prefix32\`, \`round0\` to \`round8\``,
        `${property}.masks.Citty: a mask of \`Property\` names an unknown field (City?)`,
      ],
    ],
    [
      "contact fields of a resource without any",
      ofProperty({ fields: "*", contact: true }),
      [`${property}.contact: \`Property\` has no \`contact\` that could be granted`],
    ],
  ])("%s", (_, changes, expected) => {
    expect(faultsOf(changes).map(line)).toEqual(expected);
  });

  test("an end that has passed, if the time is given", () => {
    expect([faultsOf({}), faultsOf({}, 1_800_000_000).map(line)]).toEqual([
      [],
      ["exp: 2027-01-15T08:00:00.000Z has passed: it must be later than now, 1800000000"],
    ]);
  });

  test("no object at all", () => {
    expect(findFaults([], options).map(line)).toEqual([": must be a JSON object"]);
  });

  test("with the allowed names and values", () => {
    const [kind] = faultsOf({ regions: [{ kind: "city", value: "Austin" }] });
    const [mask] = faultsOf(ofProperty({ fields: "*", masks: { Appliances: "prefix1" } }));
    const [resource] = faultsOf({ datasets: [grant(texas, { Gossip: "*" })] });
    expect([kind?.allowed, mask?.allowed, resource?.allowed]).toEqual([
      ["national", "state", "county", "zip", "originating_system"],
      ["`null`"],
      ["Property", "Media", "OpenHouse", "Member", "Office", "Lookup"],
    ]);
  });
});

test("all faults are told at once, in the order of the document", () => {
  const paths = faultsOf({
    ver: 0,
    products: ["gossip"],
    datasets: [
      grant(texas, { Gossip: "*", Property: ["Gossip", "City"], Member: { fields: "*", private: true } }),
      grant(oregon, { Property: "*" }),
    ],
    limits: {},
    extra: 1,
  }).map(({ path }) => path.join("."));
  expect(paths).toEqual([
    "ver",
    "products.0",
    "datasets.0.resources.Gossip",
    "datasets.0.resources.Property.fields.0",
    "datasets.0.resources.Member.private",
    "datasets.1.dataset_id",
    "limits",
    "extra",
  ]);
});

/** A member of a document, replaced by something else or dropped. */
const change = fc.tuple(
  fc.constantFrom(
    ["ver"],
    ["exp"],
    ["products"],
    ["channels", "api"],
    ["regions", 0, "kind"],
    ["regions", 0, "value"],
    ["datasets", 0, "dataset_id"],
    ["datasets", 0, "resources"],
    ["datasets", 0, "resources", "Property"],
    ["datasets", 0, "resources", "Property", "fields"],
    ["datasets", 0, "resources", "Property", "masks"],
  ),
  fc.constantFrom<unknown>(
    undefined,
    null,
    0,
    "",
    "TX",
    [],
    {},
    ["City"],
    { City: "round1" },
    { fields: "*" },
  ),
);

test("there is no fault exactly where a document is accepted", () => {
  fc.assert(
    fc.property(document, fc.array(change, { maxLength: 2 }), (valid, changes) => {
      const changed = JSON.parse(JSON.stringify(valid)) as Record<string | number, unknown>;
      for (const [path, value] of changes) {
        const parent = path
          .slice(0, -1)
          .reduce<unknown>((at, step) => (at as typeof changed | undefined)?.[step], changed);
        if (typeof parent === "object" && parent !== null)
          (parent as typeof changed)[path.at(-1) ?? ""] = value;
      }
      const given: unknown = JSON.parse(JSON.stringify(changed));
      const accept = () => compileScope(parseEntitlement(given), { entitySets });
      const faults = findFaults(given, { entitySets });
      if (faults.length === 0) expect(accept).not.toThrow();
      else expect(accept).toThrow(EntitlementError);
    }),
  );
});
