import { type Entitlement, EntitlementError, parseEntitlement } from "@cadastre/entitlement";
import { describe, expect, test } from "vitest";
import { entitlement, grant, texas } from "./support/documents.ts";

type Form = {
  /** What changes of a document that has the value. */
  readonly holding: (value: string) => object;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
};

const long = (length: number) => "a".repeat(length);
const region = (kind: string) => (value: string) => ({ regions: [{ kind, value }] });
const texts = {
  accepted: ["A", "A b.c/é", long(255)],
  refused: ["", " ", long(256), " A", "A ", "A\u0007b", "\u0007", "A\n"],
};
const groups = texas.split("-");
/** The id with one of its groups changed. */
const changed = (change: (group: string) => string) =>
  groups.map((_, i) => groups.map((group, j) => (i === j ? change(group) : group)).join("-"));

const forms: Readonly<Record<string, Form>> = {
  issuer: { holding: (iss) => ({ iss }), ...texts },
  audience: { holding: (aud) => ({ aud }), ...texts },
  identity: { holding: (jti) => ({ jti }), ...texts },
  customer: {
    holding: (sub) => ({ sub }),
    accepted: ["A", "cust_1.a-B", long(128)],
    refused: ["", "a b", "!a", "a!", long(129)],
  },
  nation: { holding: region("national"), accepted: ["US"], refused: ["", "us", "USA", "AUS"] },
  state: { holding: region("state"), accepted: ["TX"], refused: ["", "T", "tx", "TXA", "ATX", "T1"] },
  county: {
    holding: region("county"),
    accepted: ["TX/A", "TX/St. Mary's", `TX/${long(200)}`],
    refused: [
      "TX/",
      "TX",
      "T/A",
      "tx/A",
      "ATX/A",
      "TX/A/b",
      "TX/ A",
      "TX/A ",
      "TX/A\u0007b",
      `TX/${long(201)}`,
    ],
  },
  "ZIP code": {
    holding: region("zip"),
    accepted: ["00501"],
    refused: ["0050", "005011", "a00501", "00501a", "a0050"],
  },
  "originating system": { holding: region("originating_system"), ...texts },
  field: {
    holding: (field) => ({ datasets: [grant(texas, { Property: [field] })] }),
    accepted: ["A", "z", "A_1b", long(128)],
    refused: ["", "1a", "_a", "!a", "a!", "a-b", long(129)],
  },
  resource: {
    holding: (resource) => ({ datasets: [grant(texas, { [resource]: "*" })] }),
    accepted: ["A", long(128)],
    refused: ["", "1a", "a!", long(129)],
  },
  dataset: {
    holding: (id) => ({ datasets: [grant(id, { Property: "*" })] }),
    accepted: [texas],
    refused: [
      ...changed((group) => group.slice(1)),
      ...changed((group) => `${group}0`),
      ...changed((group) => `${group.slice(1)}g`),
      texas.replaceAll("-", ""),
      `0${texas}`,
    ],
  },
};

const parsed = (changes: object): Entitlement => parseEntitlement({ ...entitlement(), ...changes });

describe.each(Object.entries(forms))("%s", (_, { holding, accepted, refused }) => {
  test.each(accepted)("may be %j", (value) => {
    expect(parsed(holding(value))).toMatchObject(holding(value));
  });

  test.each(refused)("may not be %j", (value) => {
    expect(() => parsed(holding(value))).toThrow(EntitlementError);
  });
});
