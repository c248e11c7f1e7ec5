import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { domainNames, domainTable } from "@cadastre/delivery";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterAll, describe, expect, test } from "vitest";
import { knownColumns, outputProfiles } from "../../src/delivery/profiles.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-profiles-"));
afterAll(() => rmSync(folder, { recursive: true }));

const mine = { id: "mine", version: 1, domain: "listing", format: "csv", compression: "none" };

function read(profile: object, more: object = {}) {
  const file = join(folder, "profiles.json");
  writeFileSync(file, JSON.stringify({ profiles: [profile], ...more }));
  return outputProfiles({ exportProfiles: file, partBytes: undefined }, sampleCatalog);
}

describe("output profiles", () => {
  const usual = outputProfiles({ exportProfiles: undefined, partBytes: undefined }, sampleCatalog);
  /** The ids of the defaults: the first profile of each domain. */
  const defaultsOf = (profiles: typeof usual) =>
    domainNames.map((domain) => profiles.find((profile) => profile.domain === domain)?.id);

  test("of a file are added to the others, and take the place of those of the same id", () => {
    expect(
      read(mine)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["mine", ...usual.map(({ id }) => id)].toSorted());
    const again = read({ ...mine, id: "listing-csv" });
    expect(again).toHaveLength(usual.length);
    expect(again.find(({ id }) => id === "listing-csv")?.compression).toBe("none");
  });

  test("change the default of a domain only if the file says so", () => {
    expect(defaultsOf(usual)).toEqual(domainNames.map((domain) => `${domain}-jsonl`));
    expect(defaultsOf(read(mine))).toEqual(defaultsOf(usual));
    const defaults = { listing: "mine", property: "property-parquet" };
    expect(defaultsOf(read(mine, { defaults }))).toEqual(
      domainNames.map((domain) => ({ ...defaults })[domain as keyof typeof defaults] ?? `${domain}-jsonl`),
    );
  });

  test.each([
    [{ listing: "nobody" }, "defaults.listing: `nobody` is no profile of listing"],
    [{ property: "mine" }, "defaults.property: `mine` is no profile of property"],
    [{ weather: "mine" }, "defaults"],
  ])("cannot be the default of %j", (defaults, sentence) => {
    expect(() => read(mine, { defaults })).toThrow(sentence);
  });

  test("may be of parts of another size", () => {
    const [profile] = outputProfiles({ exportProfiles: undefined, partBytes: 65_536 }, sampleCatalog);
    expect(profile?.partBytes).toBe(65_536);
  });

  test.each<[string, object, string]>([
    ["that are none", { ...mine, format: "xml" }, "profiles.0.format"],
    [
      "with a field that there is not",
      { ...mine, fields: { listing: ["City", "Citty"] } },
      "mine: listing has no field `Citty`",
    ],
  ])("%s stop the start, and say where", (_, profile, sentence) => {
    expect(() => read(profile)).toThrow(sentence);
    expect(() => read(profile)).toThrow("CADASTRE_EXPORT_PROFILES");
  });

  test("cannot be read from nowhere", () => {
    const config = { exportProfiles: join(folder, "nowhere"), partBytes: undefined };
    expect(() => outputProfiles(config, sampleCatalog)).toThrow(
      "it cannot be read: there is no such file or folder (ENOENT)",
    );
  });
});

test("every dataset of every domain has columns, its key among them", () => {
  for (const { datasets } of Object.values(domainTable))
    for (const { name, keyField } of datasets)
      expect([name, knownColumns(sampleCatalog)[name]]).toEqual([name, expect.arrayContaining([keyField])]);
});
