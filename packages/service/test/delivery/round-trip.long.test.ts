import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Domain } from "@cadastre/manifest";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cadastre } from "../support/cli.ts";
import { customerOf } from "../support/deliveries.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { type Running, run } from "../support/running.ts";

let first: Running;
let second: Running;
let files: string;
beforeAll(async () => {
  [first, second] = await Promise.all([run({ CADASTRE_LISTINGS: "120" }), run({ CADASTRE_LISTINGS: "20" })]);
  await publishOpenHouses(first);
  files = await mkdtemp(join(tmpdir(), "cadastre-round-trip-"));
}, 120_000);
afterAll(async () => {
  await rm(files, { recursive: true });
  await Promise.all([first.stop(), second.stop()]);
});

/** Datasets in the order in which they are ingested, with their domains and resources. */
const steps = [
  ["office", "office", "Office"],
  ["member", "member", "Member"],
  ["listing", "listing", "Property"],
  ["listing", "listing_media", "Media"],
  ["listing", "media_assets", "MediaAsset"],
  ["open_house", "open_house", "OpenHouse"],
] as const satisfies readonly (readonly [Domain, string, string])[];

/** Exports a domain, for a customer who sees every system unless another is named. Returns the lines of each dataset. */
async function exported(
  running: Running,
  domain: Domain,
  customer: "national" | "market" = "national",
): Promise<ReadonlyMap<string, string>> {
  const asks = customerOf(running, customer);
  const id = await asks.complete({ domain });
  const found = new Map<string, string>();
  for (const { number, dataset } of (await asks.manifest(id)).data.parts) {
    const lines = gunzipSync(await asks.fetched(id, number)).toString();
    found.set(dataset, (found.get(dataset) ?? "") + lines);
  }
  return found;
}

const memberOf = (line: string, name: string): unknown =>
  (JSON.parse(line) as Readonly<Record<string, unknown>>)[name];

const systemOf = (line: string): unknown => memberOf(line, "OriginatingSystemName");

test("what a customer exports can be ingested by another service, whose exports are the same", async () => {
  const environment = { CADASTRE_DATA: second.folder.path };
  for (const [domain, dataset, resource] of steps) {
    const lines = (await exported(first, domain)).get(dataset) ?? "";
    expect(lines).not.toBe("");
    for (const { id, name } of sampleSystems) {
      const own = lines.split("\n").filter((line) => line !== "" && systemOf(line) === name);
      expect(own).not.toEqual([]);
      const file = join(files, `${dataset}-${id}.jsonl`);
      await writeFile(file, own.join("\n"));
      const args = ["ingest", "--resource", resource, "--source", id, file, "--json", "--full"];
      const { code, stdout, stderr } = await cadastre([...args, "--allow-shrink"], { environment });
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(stdout)).toMatchObject({ read: own.length, rejected: 0 });
    }
    const published = await cadastre(["publish", resource, "--allow-shrink"], { environment });
    expect([published.code, published.stderr]).toEqual([0, expect.any(String)]);
  }
  for (const [domain, dataset] of steps)
    await expect
      .poll(
        () =>
          exported(second, domain).then(
            (of) => of.get(dataset),
            () => undefined,
          ),
        { timeout: 20_000 },
      )
      .toBe((await exported(first, domain)).get(dataset));
}, 300_000);

test("what a customer of one system exports as CSV can be ingested, and Parquet is refused with what takes it", async () => {
  const environment = { CADASTRE_DATA: second.folder.path };
  const asks = customerOf(first, "market");
  /** Exports the listings in a format, and returns the file of the first part of Property. */
  const fileOf = async (format: string): Promise<string> => {
    const id = await asks.complete({ domain: "listing", profileId: `listing-${format}` });
    const part = (await asks.manifest(id)).data.parts.find(({ dataset }) => dataset === "listing");
    const file = join(files, `part-of-${format}`);
    await writeFile(file, await asks.fetched(id, part?.number ?? 0));
    return file;
  };
  const args = ["ingest", "--resource", "Property", "--source", "lonestar", "--full", "--json"];
  const refused = await cadastre([...args, await fileOf("parquet")], { environment });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("cadastre receive")]);
  // Lose the listings first, so that each of them comes from the file.
  const listings = (await exported(first, "listing", "market")).get("listing") ?? "";
  const keys = listings.split("\n").flatMap((line) => (line === "" ? [] : [memberOf(line, "ListingKey")]));
  expect(keys.length).toBeGreaterThan(5);
  const gone = ["ingest", "--resource", "Property", "--source", "lonestar", "--delete", "-"];
  const deleted = await cadastre([...gone, "--rejects", join(files, "gone.rejects.jsonl")], {
    environment,
    input: keys.join("\n"),
  });
  expect([deleted.code, deleted.stderr]).toEqual([0, expect.any(String)]);
  const publish = () => cadastre(["publish", "Property", "--allow-shrink"], { environment });
  expect((await publish()).code).toBe(0);
  const { code, stdout, stderr } = await cadastre([...args, await fileOf("csv")], { environment });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(JSON.parse(stdout)).toMatchObject({ read: keys.length, staged: keys.length, rejected: 0 });
  expect((await publish()).code).toBe(0);
  await expect
    .poll(
      () =>
        exported(second, "listing", "market").then(
          (of) => of.get("listing"),
          () => undefined,
        ),
      { timeout: 20_000 },
    )
    .toBe(listings);
}, 300_000);
