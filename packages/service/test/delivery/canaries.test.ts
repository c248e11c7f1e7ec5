import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { sampleSystems } from "@cadastre/sample/catalog";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../../src/data/databases.ts";
import { type Collection, query } from "../support/ask.ts";
import { hiddenMark, marked, requireNoCanary } from "../support/canaries.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { removalsOf } from "../support/removals.ts";
import { type Running, run } from "../support/running.ts";

/*
 * What may not be seen is in no part, manifest or status: parts are compressed, so that they are read here as their customer
 * reads them. Answers are searched wherever they are asked for.
 */

const exportsRoot = "/v1/file-exports";
const subscriptionsRoot = "/v1/file-export-subscriptions";

let running: Running;
const folder = mkdtempSync(join(tmpdir(), "cadastre-canaries-"));
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "100", CADASTRE_PART_BYTES: "3000000" });
  await publishOpenHouses(running);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

/** By format, the values of a part as text. */
const readers: Readonly<Record<string, (bytes: Buffer) => Promise<string>>> = {
  jsonl: async (bytes) => gunzipSync(bytes).toString(),
  csv: async (bytes) => gunzipSync(bytes).toString(),
  parquet: async (bytes) => {
    const file = join(folder, "part.parquet");
    writeFileSync(file, bytes);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const rows = (await connection.runAndReadAll(`FROM '${file}'`)).getRowObjectsJson();
    connection.closeSync();
    return JSON.stringify(rows);
  },
};

/** All text of a delivery, in which there is nothing that its customer may not see. */
async function textOf(customer: string, id: string): Promise<string> {
  const asks = customerOf(running, customer);
  const { text: status } = await asks.get(`${exportsRoot}/${id}`);
  const { text: manifest } = await asks.get(`${exportsRoot}/${id}/manifest`);
  const { data } = await asks.manifest(id);
  const texts = [status, manifest];
  for (const { number } of data.parts)
    texts.push((await readers[data.profile.format]?.(await asks.fetched(id, number))) ?? "");
  const text = texts.join("\n");
  requireNoCanary(text, `a delivery to ${customer}`, running.key(customer));
  return text;
}

/** The customers of each domain to whom something is hidden. */
const customersOf = {
  listing: ["market", "state", "coarse"],
  property: ["market", "state", "coarse"],
  public_record: ["national", "market"],
  market_report: ["market", "state", "coarse"],
  member: ["market", "state", "coarse"],
  office: ["market", "state", "coarse"],
  open_house: ["market", "state", "coarse"],
  lookup: ["market", "state", "coarse"],
};

describe.each(Object.keys(readers))("%s", (format) => {
  test.each(Object.entries(customersOf))(
    "of %s holds no canary of any customer",
    async (domain, customers) => {
      for (const customer of customers) {
        const id = await customerOf(running, customer).complete({ domain, profileId: `${domain}-${format}` });
        await textOf(customer, id);
      }
    },
    90_000,
  );

  test("of who may see a mark holds it", async () => {
    const id = await customerOf(running).complete({ profileId: `listing-${format}` });
    const text = await textOf("national", id);
    for (const { mark } of Object.values(marked)) expect(text).toContain(mark);
  }, 90_000);
});

test.each(["state", "coarse"])(
  "a subscription of %s holds no canary when marked and hidden records change and go",
  async (customer) => {
    const asks = customerOf(running, customer);
    const daily = { name: "daily", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
    const { id } = dataOf<{ id: string }>(await asks.post(subscriptionsRoot, daily));
    const delivered = async (sequence: number) => {
      for (;;) {
        type Listed = { readonly id: string; readonly sequence: number; readonly status: string };
        const [last] = dataOf<Listed[]>(await asks.get(`${subscriptionsRoot}/${id}/deliveries?limit=1`));
        if (last?.sequence === sequence && last.status === "complete") return textOf(customer, last.id);
        await setTimeout(50);
      }
    };
    await delivered(0);
    const { mark, fields } = customer === "state" ? marked.fields : marked.masked;
    const options = query({ $filter: `${fields[0]} eq '${mark}'`, $ignorenulls: true });
    const found = JSON.parse(
      (await customerOf(running).get(`/reso/odata/Property${options}`)).text,
    ) as Collection;
    const [row] = found.value;
    const record = Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !name.startsWith("@")));
    const store = await databasesOf(running.folder).openListings({ threads: 0 });
    const resource = "Property";
    const system = sampleSystems.find(({ name }) => name === record["OriginatingSystemName"]);
    const datasetId = system?.datasetId ?? null;
    const steps = [
      [{ resource, datasetId, record: { ...record, ListPrice: 1 } }],
      [{ resource, datasetId, removed: [record["ListingKey"]] }, ...removalsOf(resource, hiddenMark)],
    ];
    for (const [i, changes] of steps.entries()) {
      await store.commit(changes);
      for (const step of ["pause", "resume"]) await asks.post(`${subscriptionsRoot}/${id}/${step}`, {});
      expect(await delivered(i + 1)).toContain(String(record["ListingKey"]));
    }
    await store.close();
  },
  60_000,
);
