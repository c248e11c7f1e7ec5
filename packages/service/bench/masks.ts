// Cost of masks with SQLite: CPU time of this process per page of 100 records with 946 fields, in milliseconds, from the text of the
// options to the bytes of the page. Figures are medians of rounds in which the scopes alternate.
//   node --conditions=@cadastre/source --import tsx packages/service/bench/masks.ts [rows]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compileScope,
  type ResourceGrant,
  restrict,
  type Scope,
  visibleEntitySet,
} from "@cadastre/entitlement";
import { bindQuery, parseFilter } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { defaultOrder, storedResources } from "../src/catalog.ts";
import { sampleRecords } from "../src/data/sample-records.ts";

const { entitySet } = sampleCatalog;

const listings = Number(process.argv[2] ?? 20_000);
const rounds = 15;
const property = entitySet("Property");

const rounded = { PostalCode: "prefix3", Latitude: "round2", Longitude: "round2" } as const;
const grants: Readonly<Record<string, ResourceGrant>> = {
  "nothing masked": { fields: "*" },
  "one masked to null": { fields: "*", masks: { StreetNumber: "null" } },
  "three masked": { fields: "*", masks: rounded },
};
const filters: Readonly<Record<string, string | undefined>> = {
  "default page": undefined,
  "by a masked field": "startswith(PostalCode,'787') and Latitude gt 30",
  "by place": "geo.distance(Coordinates,geography'Point(-97.74 30.27)') le 5000",
};

const scopeOf = (given: ResourceGrant): Scope =>
  compileScope(
    {
      iss: "bench",
      aud: "bench",
      sub: "bench",
      ver: 1,
      iat: 0,
      nbf: 0,
      exp: 1,
      jti: "bench",
      products: ["listing"],
      channels: { api: true, odata: true, file_delivery: true },
      regions: [{ kind: "national", value: "US" }],
      datasets: sampleSystems.map(({ datasetId }) => ({
        dataset_id: datasetId,
        resources: { Property: given },
      })),
    },
    { entitySets: [property] },
  );

async function cost(store: WritableStore, scope: Scope, filter: string | undefined): Promise<number> {
  const start = process.cpuUsage();
  let pages = 0;
  let used = 0;
  for (; used < 100; pages++) {
    const parts = { filter: filter === undefined ? undefined : parseFilter(filter), top: 100 };
    const query = bindQuery(parts, visibleEntitySet(property, scope), defaultOrder);
    const { release } = await store.page(restrict(query, scope));
    release?.();
    const { user, system } = process.cpuUsage(start);
    used = (user + system) / 1000;
  }
  return used / pages;
}

const folder = mkdtempSync(join(tmpdir(), "cadastre-bench-"));
const store = await openSqliteStore({
  file: join(folder, "masks.sqlite"),
  resources: storedResources(sampleCatalog),
  threads: 0,
  timeout: 60_000,
});
await store.commit(sampleRecords(generateMarket({ seed: 1, listings })));
const scopes = Object.entries(grants).map(([name, given]) => ({ name, scope: scopeOf(given) }));
for (const [title, filter] of Object.entries(filters)) {
  const costs = new Map<string, number[]>(scopes.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, scope } of scopes) costs.get(name)?.push(await cost(store, scope, filter));
  }
  for (const [name, all] of costs) {
    console.log(`${title}, ${name}: ${all.toSorted((a, b) => a - b)[rounds >> 1]?.toFixed(2)} ms`);
  }
}
await store.close();
rmSync(folder, { recursive: true });
