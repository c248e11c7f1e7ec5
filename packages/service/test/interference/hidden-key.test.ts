import type { RestrictedQuery } from "@cadastre/entitlement";
import type { WritableStore } from "@cadastre/store";
import { expect, test } from "vitest";
import { engines } from "./engines.ts";
import type { Grants } from "./projection.ts";
import { openSide } from "./side.ts";
import { absentKey, datasets } from "./universe.ts";

const grants: Grants = {
  regions: [{ kind: "state", value: "TX" }],
  datasets: [{ dataset_id: datasets[0], resources: { Property: { fields: ["City"] } } }],
};

/** Keys of listings that are hidden because of the dataset, hidden because of the region, and absent. */
const unseen = ["p1", "p2", absentKey];

/** Enough listings for a database to prefer an index to a scan. */
const world = Array.from({ length: 500 }, (_, i) => ({
  resource: "Property",
  datasetId: datasets[i === 1 ? 1 : 0],
  record: {
    ListingKey: `p${i}`,
    OriginatingSystemName: "Lone Star",
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: i === 2 ? "OR" : "TX",
  },
}));

const { SQLite, PostgreSQL } = engines;

test.each(Object.entries({ SQLite, PostgreSQL }).filter(([, start]) => start !== undefined))(
  "a key that is hidden and one that is not there take the same statement and plan on %s",
  async (_, start) => {
    if (start === undefined) return;
    const engine = await start();
    const store = await engine.open("keys");
    const asked: RestrictedQuery[] = [];
    const side = await openSide({
      ...store,
      one: (query, options) => {
        asked.push(query);
        return store.one(query, options);
      },
    });
    side.admit({ one: grants, other: grants });
    await side.fill(world);
    const tell = async (key: string) => (await side.ask("one", `/reso/odata/Property('${key}')`)).text;
    expect(new Set(await Promise.all(unseen.map(tell)))).toHaveLength(1);
    const withoutKey = (text: string) => text.replace(/(['"])(?:p\d|z)\1/g, "key");
    expect(new Set(asked.map(({ filter }) => withoutKey(JSON.stringify(filter))))).toHaveLength(1);
    const { explain } = store as WritableStore;
    const plans = new Set<string>();
    for (const query of asked) plans.add(withoutKey((await explain(query)).join("\n")));
    expect([...plans]).toEqual([expect.stringMatching(/Index Scan|USING INDEX/)]);
    expect((await side.ask("one", "/reso/odata/Property('p0')")).status).toBe(200);
    await side.stop();
    await store.close();
    await engine.close();
  },
);
