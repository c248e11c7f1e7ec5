import {
  compileScope,
  EntitlementError,
  type EntitlementErrorCode,
  requireCapability,
  requireChannel,
} from "@cadastre/entitlement";
import { describe, expect, test } from "vitest";
import { entitlement, grant, scopeOf, texas } from "./support/documents.ts";
import { entitySets } from "./support/model.ts";

const sentences: readonly (readonly [EntitlementErrorCode, Readonly<Record<string, string>>, string])[] = [
  ["entitlement_header", { member: "typ" }, "the entitlement's header has a wrong `typ`"],
  ["entitlement_invalid", { path: "ver" }, "`ver` of the entitlement does not fit its schema"],
  ["entitlement_unknown_member", { path: "document" }, "`document` of the entitlement has an unknown member"],
  ["entitlement_empty_list", { path: "regions" }, "`regions` of the entitlement is empty"],
  ["entitlement_duplicate", { path: "regions" }, "`regions` of the entitlement names a value twice"],
  ["entitlement_unknown_resource", { resource: "Parcel" }, "a grant names the unknown resource `Parcel`"],
  [
    "entitlement_unknown_field",
    { resource: "Property", field: "Citty" },
    "a grant of `Property` names the unknown field `Citty`",
  ],
  ["channel_not_entitled", { channel: "odata" }, "the channel `odata` is not granted"],
  ["capability_required", { capability: "push" }, "the capability `push` is required"],
];

test.each(sentences)("%s says what is at fault", (code, details, sentence) => {
  expect(new EntitlementError(code, details)).toMatchObject({ code, details, message: sentence });
});

test.each(["entitlement_expired", "entitlement_not_yet_valid"] as const)(
  "%s is a changed entitlement",
  (code) => {
    expect(new EntitlementError(code)).toMatchObject({
      kind: "forbidden",
      publicCode: "entitlement_changed",
    });
  },
);

describe("what is refused says by name", () => {
  const causeOf = (refused: () => unknown): unknown => {
    try {
      return refused();
    } catch (error) {
      return error;
    }
  };
  test.each<readonly [string, () => unknown, object]>([
    [
      "the resource",
      () => scopeOf({ datasets: [grant(texas, { Parcel: "*" })] }),
      { details: { resource: "Parcel" } },
    ],
    [
      "the field",
      () => scopeOf({ datasets: [grant(texas, { Property: ["Citty"] })] }),
      { details: { resource: "Property", field: "Citty" } },
    ],
    [
      "the channel",
      () => requireChannel(scopeOf(), "file_delivery"),
      { details: { channel: "file_delivery" } },
    ],
    [
      "the capability",
      () => {
        const { capabilities: _, ...incapable } = entitlement();
        requireCapability(compileScope(incapable, { entitySets }), "file_export_push");
      },
      { details: { capability: "file_export_push" } },
    ],
  ])("%s", (_, refused, cause) => {
    expect(causeOf(refused)).toMatchObject(cause);
  });
});
