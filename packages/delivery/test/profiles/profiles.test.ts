import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { builtInProfiles, domainNames, type ExportColumn, readProfiles } from "../../src/index.ts";
import { deliveredDatasets, profileDocument, profileOf } from "../../src/profiles/profile.ts";
import { anyScope } from "../support/scope.ts";

const choice = {
  id: "mine",
  version: 1,
  domain: "listing",
  fields: "*",
  format: "jsonl",
  compression: "gzip",
  partBytes: 1 << 20,
  removalReason: false,
} as const;

test("there is one of each format for every domain, and the first one is JSON lines", () => {
  for (const domain of domainNames) {
    const own = builtInProfiles.filter((profile) => profile.domain === domain);
    expect(own.map(({ format, compression }) => [format, compression])).toEqual([
      ["jsonl", "gzip"],
      ["csv", "gzip"],
      ["parquet", "zstd"],
    ]);
  }
  expect(new Set(builtInProfiles.map(({ id }) => id)).size).toBe(builtInProfiles.length);
});

test("the hash is another one whenever anything else is", () => {
  const others = [
    { id: "other" },
    { version: 2 },
    { domain: "property" },
    { fields: { listing: "*" } },
    { fields: { listing: ["City"] } },
    { format: "csv" },
    { compression: "none" },
    { partBytes: 1 << 21 },
    { removalReason: true },
  ] as const;
  const hashes = [{}, ...others].map((other) => profileOf({ ...choice, ...other }).sha256);
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(profileOf({ ...choice }).sha256).toBe(hashes[0]);
  // Pinned by consumers: a change of what is hashed is a change of every profile.
  expect(hashes[0]).toMatchInlineSnapshot(
    `"418798ee3b027b911220fbc74ef646d5abc6bc46136c9adc894baab3f0677bee"`,
  );
});

test("the document of a profile has its hash, and all that it says but the hash", () => {
  const profile = profileOf({ ...choice, fields: { listing_media: ["MediaURL"], listing: "*" } });
  const text = profileDocument(profile);
  expect(createHash("sha256").update(text).digest("hex")).toBe(profile.sha256);
  const { sha256: _, ...rest } = profile;
  expect(JSON.parse(text)).toEqual({
    ...rest,
    fields: [
      { dataset: "listing_media", names: ["MediaURL"] },
      { dataset: "listing", names: "*" },
    ],
  });
});

describe("a file of profiles", () => {
  const given = { id: "mine", version: 1, domain: "listing", format: "csv", compression: "gzip" };
  const read = (...profiles: readonly object[]) => readProfiles(JSON.stringify({ profiles }));

  test("says what it says, and the usual of the rest", () => {
    const [profile] = read({ ...given, fields: { listing: ["City"], listing_media: "*" } });
    expect(profile).toEqual(
      profileOf({
        ...choice,
        format: "csv",
        fields: { listing: ["City"], listing_media: "*" },
        partBytes: 64 << 20,
        removalReason: true,
      }),
    );
  });

  test.each<[string, object, string]>([
    ["an unknown member", { ...given, colour: "red" }, "profiles.0"],
    ["an unknown domain", { ...given, domain: "weather" }, "profiles.0.domain"],
    [
      "Parquet by gzip",
      { ...given, format: "parquet" },
      "profiles.0.compression: parquet is compressed by zstd",
    ],
    ["text by zstd", { ...given, compression: "zstd" }, "csv is compressed by gzip or none"],
    ["a dataset of another domain", { ...given, fields: { property: "*" } }, "profiles.0.fields.property"],
    ["a field twice", { ...given, fields: { listing: ["City", "City"] } }, "names a field twice"],
    ["no field", { ...given, fields: { listing: [] } }, "profiles.0.fields"],
    ["a part of a byte", { ...given, partBytes: 1 }, "profiles.0.partBytes"],
    ["a version of text", { ...given, version: "1" }, "profiles.0.version"],
    ["a path as its id", { ...given, id: "../x" }, "profiles.0.id"],
  ])("with %s is refused, and says where", (_, profile, where) => {
    expect(() => read(profile)).toThrow(expect.objectContaining({ code: "invalid_profile" }));
    expect(() => read(profile)).toThrow(where);
  });

  test("may be that of the page about deliveries", () => {
    const page = readFileSync(new URL("../../../../docs/delivery.md", import.meta.url), "utf8");
    const [, text = ""] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
    expect(readProfiles(text)).toMatchObject([{ id: "listing-brief", format: "csv", removalReason: true }]);
  });

  test("with two of one id, or without JSON, is refused", () => {
    expect(() => read(given, given)).toThrow("has two profiles of one id");
    expect(() => readProfiles("{")).toThrow("the file is not JSON");
  });
});

describe("what is delivered", () => {
  const text = (name: string): ExportColumn => ({
    name,
    type: "string",
    collection: false,
    nullable: true,
  });
  const shown: Readonly<Record<string, readonly ExportColumn[]>> = {
    listing: [text("City"), text("ListingKey"), text("County")],
    listing_media: [text("MediaKey")],
  };
  const source = { columns: (dataset: string) => shown[dataset] };
  const columnsBy = (fields: "*" | Readonly<Record<string, "*" | readonly string[]>>) =>
    deliveredDatasets(source, anyScope, profileOf({ ...choice, fields })).map(
      ({ name, columns }) => [name, columns.map((column) => column.name)] as const,
    );

  test("is what the scope shows of what the profile asks for, and the key", () => {
    expect(columnsBy("*")).toEqual([
      ["listing", ["City", "ListingKey", "County"]],
      ["listing_media", ["MediaKey"]],
    ]);
    expect(columnsBy({ listing: ["County", "Hidden"] })).toEqual([["listing", ["ListingKey", "County"]]]);
    expect(columnsBy({ media_assets: "*" })).toEqual([]);
  });
});
