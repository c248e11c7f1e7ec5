import { EntitlementError, findDisclosures, type ResourceGrant } from "@cadastre/entitlement";
import { describe, expect, test } from "vitest";
import { grant, oregon, texas } from "./support/documents.ts";
import { entitySet, entitySets, property } from "./support/model.ts";

type Resources = Readonly<Record<string, ResourceGrant["fields"] | ResourceGrant>>;

/** What a grant of one dataset tells, in short: `Remarks may tell Property/City`. */
const told = (resources: Resources) =>
  findDisclosures({ datasets: [grant(texas, resources)] }, { entitySets }).map(
    ({ resource, field, masked, shown }) =>
      `${resource}/${field} ${shown ? "may tell" : "is null for"} ${masked.join(" ")}`,
  );

describe("what is granted tells of what is masked", () => {
  test.each<readonly [what: string, resources: Resources, expected: readonly string[]]>([
    ["nothing, without masks", { Property: "*", Media: "*" }, []],
    ["nothing, where nothing speaks of it", { Property: { fields: "*", masks: { ListPrice: "null" } } }, []],
    [
      "what it may mention, and what it holds",
      { Property: { fields: "*", masks: { City: "null" } } },
      ["Property/AddressLine is null for Property/City", "Property/Remarks may tell Property/City"],
    ],
    [
      "the same of a part that is left",
      { Property: { fields: "*", masks: { AddressLine: "prefix2" } } },
      ["Property/Label is null for Property/AddressLine", "Property/Remarks may tell Property/AddressLine"],
    ],
    ["nothing that is not granted", { Property: { fields: ["City"], masks: { City: "null" } } }, []],
    [
      "nothing that the document masks too",
      {
        Property: {
          fields: "*",
          masks: { City: "null", AddressLine: "null", Label: "null", Remarks: "null" },
        },
      },
      [],
    ],
    [
      "what a text that is cut short may mention",
      { Property: { fields: ["City", "Remarks"], masks: { City: "prefix1", Remarks: "prefix32" } } },
      ["Property/Remarks may tell Property/City"],
    ],
    [
      "that a text which is cut short is not shown at all, if it holds it",
      { Property: { fields: ["City", "AddressLine"], masks: { City: "null", AddressLine: "prefix9" } } },
      ["Property/AddressLine is null for Property/City"],
    ],
    [
      "what is in another resource",
      { Property: { fields: ["City"], masks: { City: "null" } }, Media: ["Caption"] },
      ["Media/Caption may tell Property/City"],
    ],
    ["nothing of a resource without masks", { Property: ["City"], Media: ["Caption"] }, []],
  ])("%s", (_, resources, expected) => {
    expect(told(resources)).toEqual(expected);
  });

  test("in its dataset alone, and of each", () => {
    const masked = { fields: ["City"], masks: { City: "null" } } as const;
    const datasets = [grant(texas, { Property: masked }), grant(oregon, { Media: ["Caption"] })];
    expect(findDisclosures({ datasets }, { entitySets })).toEqual([]);
    const both = datasets.map(({ dataset_id }) =>
      grant(dataset_id, { Property: masked, Media: ["Caption"] }),
    );
    const found = findDisclosures({ datasets: both }, { entitySets });
    expect(found.map(({ dataset }) => dataset)).toEqual([texas, oregon]);
  });

  test("but not a number that is rounded itself", () => {
    const numbers = ["Acres", "SquareFeet"].map((name, i) =>
      property(name, "Edm.Double", { mayReveal: [["SquareFeet", "Acres"][i] ?? ""] }),
    );
    const sets = [entitySet("Property", "ListingKey", numbers)];
    const found = (masks: ResourceGrant["masks"]) =>
      findDisclosures(
        { datasets: [grant(texas, { Property: { fields: "*", ...(masks && { masks }) } })] },
        { entitySets: sets },
      );
    expect(found({ Acres: "round0" }).map(({ field }) => field)).toEqual(["SquareFeet"]);
    expect(found({ Acres: "round0", SquareFeet: "round0" })).toEqual([]);
  });
});

test("a grant that means nothing is refused as a scope refuses it", () => {
  const datasets = [grant(texas, { Nothing: "*" })];
  expect(() => findDisclosures({ datasets }, { entitySets })).toThrow(EntitlementError);
});
