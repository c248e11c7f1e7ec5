import { rm } from "node:fs/promises";
import type { Entitlement } from "@cadastre/entitlement";
import { domainNames } from "@cadastre/manifest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databasesOf } from "../../src/data/databases.ts";
import { ask, type Collection } from "../support/ask.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { type Running, run } from "../support/running.ts";

const root = "/v1/file-exports";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "150", CADASTRE_PART_BYTES: "65536" });
  await publishOpenHouses(running);
});
afterAll(() => running.stop());

const change = (customer: string, changed: (before: Entitlement) => Entitlement): Promise<void> =>
  entitle(running, customer, changed);

/** Listings in Texas of the first system, with all of their fields. */
async function texasListings() {
  const dataset = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";
  const filter = "StateOrProvince eq 'TX' and OriginatingSystemName eq 'Lone Star MLS'";
  const target = `/reso/odata/Property?$ignorenulls=true&$filter=${encodeURIComponent(filter)}`;
  const { value } = JSON.parse((await customerOf(running).get(target)).text) as Collection;
  return value.map((row) => {
    const members = Object.entries(row).filter(([name]) => !name.startsWith("@"));
    return { dataset, record: Object.fromEntries(members) };
  });
}

test.each(domainNames)("what is hidden changes no byte of an export of %s", async (domain) => {
  const market = customerOf(running, "market");
  const contentOf = async () => {
    const { data } = await market.manifest(await market.complete({ domain }));
    expect(data.parts.length).toBeGreaterThan(0);
    return { parts: data.parts, datasets: data.datasets };
  };
  const before = await contentOf();
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  const later = "2026-07-01T00:00:00.000Z";
  const datasetId = "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21";
  await store.commit([
    {
      resource: "Property",
      datasetId,
      record: { ListingKey: `AAA_${domain}`, ModificationTimestamp: later, StateOrProvince: "TX" },
    },
    {
      resource: "PublicRecord",
      datasetId,
      record: { PublicRecordKey: `AAA_${domain}`, ModificationTimestamp: later, StateOrProvince: "TX" },
    },
  ]);
  await store.close();
  expect(await contentOf()).toEqual(before);
});

test("nor does a hidden field", async () => {
  const state = customerOf(running, "state");
  const partsNow = async () => (await state.manifest(await state.complete())).data.parts;
  const before = await partsNow();
  const [first] = await texasListings();
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  const [datasetId, record] = [first?.dataset, first?.record ?? {}];
  const changed = { ...record, PrivateRemarks: "another", ListAgentFullName: "Another", Latitude: 30.5 };
  const commit = (of: Readonly<Record<string, unknown>>) =>
    store.commit([{ resource: "Property", datasetId: datasetId ?? "", record: of }]);
  expect((await commit(changed)).written).toBe(1);
  expect(await partsNow()).toEqual(before);
  // Of a field that is shown it is another part.
  await commit({ ...changed, ListPrice: 1 });
  await store.close();
  expect(await partsNow()).not.toEqual(before);
});

test("what an entitlement no longer covers is not served; what it covers more of still is", async () => {
  const coarse = customerOf(running, "coarse");
  const id = await coarse.complete();
  const token = await coarse.grant(id, 0);
  const redeem = () => coarse.get("/v1/file-downloads/redeem", { authorization: `Bearer ${token}` });
  const all = [`${root}/${id}/manifest`, `${root}/${id}/download?part=0`];
  await change("coarse", (before) => ({
    ...before,
    regions: [...before.regions, { kind: "state", value: "OR" }],
  }));
  for (const target of all) expect((await coarse.get(target)).status).toBe(200);
  expect((await redeem()).status).toBe(200);
  await change("coarse", (before) => ({ ...before, regions: [{ kind: "state", value: "OR" }] }));
  for (const target of all) expect(refusal(await coarse.get(target))).toEqual([403, "entitlement_changed"]);
  expect(refusal(await redeem())).toEqual([403, "entitlement_changed"]);
  // The delivery is what it was; who asks has changed.
  expect(dataOf<{ status: string }>(await coarse.get(`${root}/${id}`)).status).toBe("complete");
});

test("a customer without the channel is refused, whatever it asks", async () => {
  const state = customerOf(running, "state");
  const id = await state.complete();
  const body = { name: "revoked", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
  const subscribed = await state.post("/v1/file-export-subscriptions", body);
  const subscription = `/v1/file-export-subscriptions/${dataOf<{ id: string }>(subscribed).id}`;
  type Status = { readonly purge_required: boolean; readonly last_delivered: object | null };
  const status = async () => dataOf<Status>(await state.get(subscription));
  await expect.poll(async () => (await status()).last_delivered, { timeout: 20_000 }).not.toBeNull();
  expect((await status()).purge_required).toBe(false);
  await change("state", (before) => ({
    ...before,
    channels: { api: true, odata: true, file_delivery: false },
  }));
  for (const target of [root, `${root}/${id}`, `${root}/${id}/manifest`, "/v1/file-downloads/redeem"])
    expect(refusal(await state.get(target))).toEqual([403, "channel_not_entitled"]);
  expect(refusal(await state.create())).toEqual([403, "channel_not_entitled"]);
  // But for the duty that remains.
  expect(await status()).toMatchObject({ purge_required: true });
  expect(refusal(await state.get(`${subscription}/deliveries`))).toEqual([403, "channel_not_entitled"]);
});

test("a part whose bytes are gone is no answer", async () => {
  const national = customerOf(running);
  const id = await national.complete({ domain: "public_record" });
  const { data } = await national.manifest(id);
  const [part] = data.parts;
  if (part === undefined) throw new Error("there is no part");
  const token = await national.grant(id, part.number);
  await rm(`${running.folder.exports}/parts/${part.sha256.slice(0, 2)}/${part.sha256}`);
  const reply = await ask(running.service.baseUrl, "/v1/file-downloads/redeem", {
    ...national.headers,
    authorization: `Bearer ${token}`,
  });
  expect(refusal(reply)).toEqual([503, "part_rebuilding"]);
});
