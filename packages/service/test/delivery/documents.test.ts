import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { domainNames } from "@cadastre/manifest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withRegistry } from "../../src/data/registry.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { type Running, run } from "../support/running.ts";

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const base = { version: 1, domain: "listing", format: "jsonl", compression: "none" };
const file = join(tmpdir(), `cadastre-documents-${process.pid}.json`);
let running: Running;
beforeAll(async () => {
  const profiles = [
    { ...base, id: "city", fields: { listing: ["City"] } },
    { ...base, id: "agent", fields: { listing: ["City", "ListAgentFullName"] } },
  ];
  await writeFile(file, JSON.stringify({ profiles }));
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_EXPORT_PROFILES: file });
  await publishOpenHouses(running);
});
afterAll(async () => {
  await running.stop();
  await rm(file);
});

type Offer = {
  readonly id: string;
  readonly domain: string;
  readonly default: boolean;
  readonly sha256: string;
  readonly schema_sha256: string;
  readonly datasets: readonly { readonly name: string; readonly columns: number }[];
};
type Column = { readonly name: string; readonly edmType: string; readonly key: boolean };
type Schema = {
  readonly datasets: readonly { readonly name: string; readonly columns: readonly Column[] }[];
};
type Named = {
  readonly schema: { readonly sha256: string };
  readonly profile: { readonly sha256: string };
  readonly attribution: readonly { readonly disclaimerSha256: string }[];
  readonly documents: readonly {
    readonly kind: string;
    readonly sha256: string;
    readonly byteLength: number;
  }[];
};

const named = async (name: string, body = {}): Promise<Named> => {
  const customer = customerOf(running, name);
  return (await customer.manifest(await customer.complete(body))).data as unknown as Named;
};
const offers = async (name = "national") =>
  dataOf<readonly Offer[]>(await customerOf(running, name).get("/v1/profiles"));
const paths = { schema: "schemas", profile: "profiles", disclaimer: "disclaimers" } as const;

describe("a document by its hash", () => {
  test.each(domainNames)("of a delivery of %s has that hash, and is kept by caches", async (domain) => {
    const { documents, schema, profile, attribution } = await named("national", { domain });
    expect(new Set(documents.map(({ sha256 }) => sha256))).toEqual(
      new Set([
        schema.sha256,
        profile.sha256,
        ...attribution.map(({ disclaimerSha256 }) => disclaimerSha256),
      ]),
    );
    expect(attribution.length).toBeGreaterThan(0);
    const customer = customerOf(running);
    for (const { kind, sha256, byteLength } of documents) {
      const path = `/v1/${paths[kind as keyof typeof paths]}/${sha256}`;
      const reply = await customer.get(path);
      expect([path, reply.status, hashOf(reply.text), Buffer.byteLength(reply.text)]).toEqual([
        path,
        200,
        sha256,
        byteLength,
      ]);
      expect(reply.headers["cache-control"]).toBe("private, max-age=31536000, immutable");
      const again = await customer.get(path, { "if-none-match": String(reply.headers["etag"]) });
      expect(again.status).toBe(304);
    }
  });

  test("names all columns that the customer sees, and no other", async () => {
    const columnsOf = async (name: string) => {
      const { schema } = await named(name);
      const { text } = await customerOf(running, name).get(`/v1/schemas/${schema.sha256}`);
      const { datasets } = JSON.parse(text) as Schema;
      return new Map(datasets[0]?.columns.map((column) => [column.name, column]));
    };
    const [national, state] = [await columnsOf("national"), await columnsOf("state")];
    expect(national.get("ListPrice")).toMatchObject({ edmType: "Edm.Decimal", precision: 14, scale: 2 });
    expect(national.get("ListingKey")).toMatchObject({ key: true, nullable: false });
    expect(national.has("ListAgentFullName")).toBe(true);
    expect(state.has("ListAgentFullName")).toBe(false);
    expect(state.size).toBeGreaterThan(3);
    expect([...national.keys()]).toEqual(expect.arrayContaining([...state.keys()]));
  });

  test("is not found for another customer, like one that does not exist", async () => {
    const { schema, documents } = await named("national");
    const state = customerOf(running, "state");
    const unknown = await state.get(`/v1/schemas/${hashOf("nothing")}`);
    expect(refusal(unknown)).toEqual([404, "not_found"]);
    const of = (reply: typeof unknown) => [reply.status, reply.text, reply.headers["cache-control"]];
    expect(of(await state.get(`/v1/schemas/${schema.sha256}`))).toEqual(of(unknown));
    for (const { kind, sha256 } of documents)
      for (const path of Object.values(paths).filter((one) => one !== paths[kind as keyof typeof paths]))
        expect(refusal(await customerOf(running).get(`/v1/${path}/${sha256}`))).toEqual([404, "not_found"]);
    for (const odd of ["x", schema.sha256.toUpperCase(), "%00", "..%2fprofiles"])
      expect((await state.get(`/v1/schemas/${odd}`)).status).toBe(404);
  });

  test("of a disclaimer that was changed since is still found by who has it", async () => {
    const { attribution } = await named("national");
    const sha256 = attribution[0]?.disclaimerSha256 ?? "";
    const customer = customerOf(running);
    const before = await customer.get(`/v1/disclaimers/${sha256}`);
    await withRegistry(running.folder, async ({ profiles }) => {
      for (const profile of await profiles.list())
        if (hashOf(profile.disclaimer) === sha256)
          await profiles.set({ ...profile, disclaimer: `${profile.disclaimer} Changed.` });
    });
    await expect
      .poll(async () => (await customer.get("/v1/mls-profiles")).text, { timeout: 9000 })
      .toContain("Changed.");
    expect((await customer.get(`/v1/disclaimers/${sha256}`)).text).toBe(before.text);
    // Another customer has never been given it.
    const other = customerOf(running, "coarse");
    await expect
      .poll(async () => (await other.get(`/v1/disclaimers/${sha256}`)).status, { timeout: 9000 })
      .toBe(404);
  });
});

describe("profiles", () => {
  test("are listed with the default of each domain, which an added profile does not change", async () => {
    const all = await offers();
    expect(all.filter((offer) => offer.default).map(({ id, domain }) => [domain, id])).toEqual([
      ["property", "property-jsonl"],
      ["listing", "listing-jsonl"],
      ["public_record", "public_record-jsonl"],
      ["market_report", "market_report-jsonl"],
      ["member", "member-jsonl"],
      ["office", "office-jsonl"],
      ["open_house", "open_house-jsonl"],
      ["lookup", "lookup-jsonl"],
    ]);
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(["city", "agent", "listing-parquet"]));
  });

  test("have the schema that a delivery would have now, and a document by id and by hash", async () => {
    const customer = customerOf(running);
    const city = (await offers()).find(({ id }) => id === "city");
    expect(city?.datasets).toEqual([{ name: "listing", key: "ListingKey", columns: 2 }]);
    const schema = await customer.get(`/v1/schemas/${city?.schema_sha256}`);
    expect(hashOf(schema.text)).toBe(city?.schema_sha256);
    expect((await named("national", { profileId: "city" })).schema.sha256).toBe(city?.schema_sha256);
    const byId = await customer.get("/v1/profiles/city");
    expect(hashOf(byId.text)).toBe(city?.sha256);
    expect(byId.headers["cache-control"]).toBe("private, no-cache");
    expect((await customer.get(`/v1/profiles/${city?.sha256}`)).text).toBe(byId.text);
  });

  test("that name a field which the customer does not see are offered, but not shown", async () => {
    const state = customerOf(running, "state");
    const agent = (await offers("state")).find(({ id }) => id === "agent");
    expect(agent?.datasets).toEqual([{ name: "listing", key: "ListingKey", columns: 2 }]);
    expect(agent?.schema_sha256).toBe((await offers("state")).find(({ id }) => id === "city")?.schema_sha256);
    const { documents, profile } = await named("state", { profileId: "agent" });
    expect(profile.sha256).toBe(agent?.sha256);
    expect(documents.map(({ kind }) => kind)).not.toContain("profile");
    for (const name of ["agent", agent?.sha256, "nope"])
      expect(refusal(await state.get(`/v1/profiles/${name}`))).toEqual([404, "not_found"]);
  });
});

test("what the customer no longer sees is not found any more", async () => {
  const { schema } = await named("market");
  const market = customerOf(running, "market");
  expect((await market.get(`/v1/schemas/${schema.sha256}`)).status).toBe(200);
  await entitle(running, "market", (before) => ({
    ...before,
    datasets: before.datasets.map((dataset) => ({
      ...dataset,
      resources: { Property: { fields: ["City", "ListPrice"] } },
    })),
  }));
  await expect
    .poll(async () => (await market.get(`/v1/schemas/${schema.sha256}`)).status, { timeout: 9000 })
    .toBe(404);
});
