import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compileScope,
  type Entitlement,
  type ResourceGrant,
  type RestrictedQuery,
  type Scope,
  type ScopeOptions,
} from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import { whereOfCell } from "@cadastre/reso";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";
import type { StoredRecord, WritableStore } from "@cadastre/store";
import { openPostgresStore } from "@cadastre/store/postgres";
import { identitiesOf } from "@cadastre/store/property";
import { type AccessRegistry, openPostgresRegistry, openSqliteRegistry } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { latLngToCell } from "h3-js";
import { pino } from "pino";
import { createRates } from "../../src/access/rates.ts";
import { createApp, type Services } from "../../src/app.ts";
import { scopeOptionsOf, storedResources } from "../../src/catalog.ts";
import { readConfig } from "../../src/config.ts";
import { MemoryBudget } from "../../src/http/memory-budget.ts";
import { memoryLimits } from "../../src/http/memory-limits.ts";
import { listen } from "../../src/http/server.ts";
import { provisionalIdRow } from "../../src/identity/provisional-id.ts";
import { activeScopes } from "../support/active-scopes.ts";
import { ask, type Reply } from "../support/ask.ts";

const { entitySet } = sampleCatalog;

export const [lonestar, hillcountry] = sampleSystems;
const at = Date.UTC(2026, 0, 1);

/** A house in Austin, and its Placekeys: the hexagon's, with what parts that a Placekey service might have given. */
const austin = { Latitude: 30.2712, Longitude: -97.7411 };
const where = whereOfCell(latLngToCell(austin.Latitude, austin.Longitude, 10));
export const [house, tower] = [`222-222@${where}`, `223-223@${where}`] as const;
export const [absent, absentProvisional] = [`224-224@${where}`, "prov:01ARZ3NDEKTSV4RRFFQ69G5FAV"] as const;

type System = Pick<(typeof sampleSystems)[number], "datasetId" | "name">;

/** A listing of the house, but for what is said of it. */
export function listing(ListingKey: string, said: Row = {}, system: System = lonestar): StoredRecord {
  const record: Row = {
    ListingKey,
    OriginatingSystemName: system.name,
    ModificationTimestamp: "2025-01-01T00:00:00.000Z",
    StandardStatus: "Active",
    StreetNumber: "12",
    StreetName: "Oak",
    StreetSuffix: "St",
    City: "Austin",
    StateOrProvince: "TX",
    CountyOrParish: "Travis",
    PostalCode: "78701",
    ...austin,
    ...said,
  };
  const { datasetId } = system;
  return { resource: "Property", datasetId, record, hidden: provisionalIdRow(datasetId, record) };
}

/** What the property of a listing is called while it has no Placekey. */
export const provisional = ({ hidden }: StoredRecord): string => String(hidden?.["ProvisionalId"]);

/** Who asks: the API key of each is the name. */
export type Customers = Readonly<Record<string, Partial<Entitlement>>>;

export const granting = (grants: Readonly<Record<string, ResourceGrant>>): Partial<Entitlement> => ({
  datasets: Object.entries(grants).map(([dataset_id, Property]) => ({ dataset_id, resources: { Property } })),
});

export const everything = granting({
  [lonestar.datasetId]: { fields: "*" },
  [hillcountry.datasetId]: { fields: "*" },
});

export function scopeOf(
  customer: string,
  said: Partial<Entitlement>,
  options: Partial<ScopeOptions> = {},
): Scope {
  const document: Entitlement = {
    iss: "i",
    aud: "a",
    sub: customer,
    ver: 7,
    iat: 0,
    nbf: 0,
    exp: 9,
    jti: "j",
    products: ["property"],
    channels: { api: true, odata: true, file_delivery: false },
    regions: [{ kind: "national", value: "US" }],
    datasets: [],
    ...said,
  };
  return compileScope(document, { ...scopeOptionsOf(sampleCatalog), ...options });
}

export type PropertyService = {
  readonly store: WritableStore;
  readonly registry: AccessRegistry;
  /** To be changed by a test that injects a fault. */
  readonly services: Services;
  /** Every query that the store was asked so far. */
  readonly queries: readonly RestrictedQuery[];
  readonly get: (
    target: string,
    customer?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
  readonly send: (method: string, target: string) => Promise<Reply>;
  readonly stop: () => Promise<void>;
};

/** An empty store and an empty registry. */
export type Databases = {
  readonly store: WritableStore;
  readonly registry: AccessRegistry;
  /** Forget both, once they are closed. */
  readonly drop: () => Promise<void>;
};

export async function openSqlite(): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-v1-"));
  const file = (name: string) => join(folder, name);
  const store = await openSqliteStore({
    file: file("listings.sqlite"),
    resources: storedResources(sampleCatalog),
    threads: 0,
  });
  const registry = await openSqliteRegistry({ file: file("registry.sqlite") });
  return { store, registry, drop: () => rm(folder, { recursive: true }) };
}

let schemas = 0;

/** In schemas of their own. */
export async function openPostgres(connection: string): Promise<Databases> {
  const schema = `service_${++schemas}`;
  const resources = storedResources(sampleCatalog);
  const store = await openPostgresStore({ connection, schema, resources, connections: 2 });
  const registry = await openPostgresRegistry({ connection, schema: `${schema}_registry` });
  return { store, registry, drop: async () => {} };
}

/** A service on a socket; `customers` gives each his scope. */
export async function startPropertyService(
  customers: Customers,
  open: () => Promise<Databases> = openSqlite,
): Promise<PropertyService> {
  const { store, registry, drop } = await open();
  const scopes = new Map(Object.entries(customers).map(([name, said]) => [name, scopeOf(name, said)]));
  const queries: RestrictedQuery[] = [];
  const config = readConfig({});
  const services: Services = {
    catalog: sampleCatalog,
    config,
    log: pino({ level: "silent" }),
    store: {
      ...store,
      page: (query, options) => {
        queries.push(query);
        return store.page(query, options);
      },
    },
    memory: new MemoryBudget(memoryLimits(1024, 2)),
    skipTokenKey: randomBytes(32),
    random: randomBytes,
    activeEntitySets: [entitySet("Property")],
    keys: {
      findEnded: async () => undefined,
      find: async (customer) => ({
        id: customer,
        customer,
        prefix: "",
        digest: "",
        pepper: 1,
        created: at,
        expires: null,
        revoked: null,
        lastUsed: null,
      }),
    },
    scopes: activeScopes((customer) => scopes.get(customer)),
    rates: createRates({ requestsPerSecond: 0, refusalsPerSecond: 0 }),
    // What was resolved a moment ago counts at once.
    identities: async () => identitiesNow(registry),
    profiles: async () => new Map((await registry.profiles.list()).map((one) => [one.datasetId, one])),
    now: Date.now,
    readiness: { reasons: async () => [] },
  };
  const server = await listen(createApp(services), { host: "127.0.0.1", port: 0 });
  const base = `http://127.0.0.1:${server.port}`;
  const [first = ""] = Object.keys(customers);
  return {
    store,
    registry,
    services,
    queries,
    get: (target, customer = first, headers = {}) => ask(base, target, { "x-api-key": customer, ...headers }),
    send: (method, target) => ask(base, target, { "x-api-key": first }, method),
    stop: async () => {
      await server.stop(0);
      await store.close();
      await registry.close();
      await drop();
    },
  };
}

const identitiesNow = async ({ identities }: AccessRegistry) => identitiesOf(await identities.resolutions());
