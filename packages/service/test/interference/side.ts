import type { Agent } from "node:http";
import { compileScope, type Entitlement, type ResourceGrant, type Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { identitiesOf } from "@cadastre/store/property";
import type { AccessRegistry, ApiKeyRecord, MlsProfile } from "@cadastre/store/registry";
import type { Express } from "express";
import { pino } from "pino";
import { createRates } from "../../src/access/rates.ts";
import { createApp, type Services } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createEntityEvents, type EntityEvents } from "../../src/events/entity-events.ts";
import { MemoryBudget } from "../../src/http/memory-budget.ts";
import { memoryLimits } from "../../src/http/memory-limits.ts";
import { listen } from "../../src/http/server.ts";
import { activeScopes } from "../support/active-scopes.ts";
import { ask, type Reply } from "../support/ask.ts";
import { inProcess } from "../support/in-process.ts";
import { testCatalog } from "../support/test-catalog.ts";
import { type Carrier, carriedBy, type Sent } from "./carriers.ts";
import type { FilledStore } from "./memory-store.ts";
import { type Grants, seenSet, type World } from "./projection.ts";
import {
  datasets,
  now,
  type ResourceName,
  resourceNames,
  scopeOptions,
  ungranted,
  universeSet,
} from "./universe.ts";
import { identityOf, removalOf, stored } from "./worlds.ts";

/** The customers. The API key of each is its name. */
export type Customer = "one" | "other";
export type GrantsOfAll = Readonly<Record<Customer, Grants>>;

/** Base URL of links, the same for all services so that their links are equal. */
export const baseUrl = "https://feed.example";

const atNow = () => now * 1000;

/** Key of the tokens, and constant random bytes, so that all services return equal tokens. Real services must not do this. */
export const skipTokenKey = Buffer.alloc(32, 7);
const random = (bytes: number) => Buffer.alloc(bytes, 9);

export const documentOf = (sub: string, { regions, datasets }: Grants): Entitlement => ({
  iss: "https://issuer.example",
  aud: "interference",
  sub,
  ver: 1,
  iat: now,
  nbf: now,
  exp: now + 60,
  jti: sub,
  products: ["listing"],
  channels: { api: true, odata: true, file_delivery: true },
  regions,
  datasets,
});

/** Access rules of a service: its active entity sets, and the scope of each customer. */
type Rule = {
  readonly activeEntitySets: readonly EntitySet[];
  readonly scopes: Readonly<Partial<Record<string, Scope>>>;
};

/** The scopes of each customer. What is derived from a scope is kept with it. */
const compiled: Readonly<Record<Customer, WeakMap<Grants, Scope>>> = {
  one: new WeakMap(),
  other: new WeakMap(),
};

function scopeOf(customer: Customer, grants: Grants): Scope {
  const known = compiled[customer].get(grants);
  if (known !== undefined) return known;
  const scope = compileScope(documentOf(customer, grants), scopeOptions);
  compiled[customer].set(grants, scope);
  return scope;
}

const allSets = resourceNames.map(universeSet);

const ruleOf = ({ one, other }: GrantsOfAll): Rule => ({
  activeEntitySets: allSets,
  scopes: { one: scopeOf("one", one), other: scopeOf("other", other) },
});

/** Returns a rule whose model contains only what the customer may see, all of it granted. */
function bareRuleOf(grants: Grants): Rule {
  const bare = scopeOptions.entitySets.map((set) => seenSet(set.name as ResourceName, grants) ?? set);
  const isThere = (resource: string, field: string) =>
    bare.some(({ name, type }) => name === resource && type.properties.has(field));
  const narrowed = (resource: string, { fields, masks = {}, ...policies }: ResourceGrant): ResourceGrant => ({
    ...policies,
    fields: fields === "*" ? fields : fields.filter((field) => isThere(resource, field)),
    masks: Object.fromEntries(Object.entries(masks).filter(([field]) => isThere(resource, field))),
  });
  const granted = grants.datasets.map(({ dataset_id, resources }) => ({
    dataset_id,
    resources: Object.fromEntries(
      Object.entries(resources).map(([name, grant]) => [name, narrowed(name, grant)]),
    ),
  }));
  const one = compileScope(documentOf("one", { ...grants, datasets: granted }), {
    ...scopeOptions,
    entitySets: bare,
  });
  // Any customer may learn if a set has passed its gates, so all sets are active.
  const active = resourceNames.map((name) => seenSet(name, grants) ?? universeSet(name));
  return { activeEntitySets: active, scopes: { one } };
}

/** A store that is refilled for each case. */
export type Filling = {
  /** Makes the store contain exactly this world, in one commit, and publishes its properties. */
  readonly fill: (world: World) => Promise<void>;
  /** Makes the store contain exactly this world, without its properties, which no OData answer is made of. */
  readonly hold: (world: World) => Promise<void>;
  /** Commits changes that nobody may see until the store has reached the checkpoint. */
  readonly advance: (checkpoint: number) => Promise<void>;
  /** Returns the number of the last commit. */
  readonly checkpoint: () => number;
};

/** A complete service on a socket, over a given store. */
export type Side = Filling & {
  /** Grants the customers access with these grants from now on. */
  readonly admit: (grants: GrantsOfAll) => void;
  /** Grants `one` access, with a model that contains only what `one` may see. */
  readonly admitBare: (grants: Grants) => void;
  readonly ask: (
    customer: Customer,
    target: string,
    how?: Partial<Pick<Sent, "method" | "headers">> & { readonly carrier?: Carrier },
  ) => Promise<Reply>;
  readonly stop: () => Promise<void>;
};

/** Returns a change that no entitlement shows, a different one for each count. */
const filler = (count: number) => ({
  resource: "Member",
  datasetId: ungranted,
  record: {
    MemberKey: "filler",
    OriginatingSystemName: `filler ${count}`,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
  },
});

export async function filling(store: FilledStore): Promise<Filling> {
  let held: World = [];
  /** The texts of the records that the store has. */
  let texts: ReadonlySet<string> = new Set();
  let checkpoint = await store.checkpoint();
  async function hold(world: World): Promise<void> {
    // A record that moves to another dataset is removed from its own first.
    const present = new Set(world.map((row) => `${row.datasetId} ${identityOf(row)}`));
    const removed = held.filter((row) => !present.has(`${row.datasetId} ${identityOf(row)}`)).map(removalOf);
    // A record that is as it was would change nothing either.
    const records = new Map(stored(world).map((row) => [JSON.stringify(row), row]));
    const changed = [...records].flatMap(([text, row]) => (texts.has(text) ? [] : [row]));
    ({ checkpoint } = await store.commit([...removed, ...changed, filler(checkpoint)]));
    held = world;
    texts = new Set(records.keys());
  }
  return {
    hold,
    fill: async (world) => {
      await hold(world);
      await store.builds.publish(["Property"]);
    },
    advance: async (to) => {
      while (checkpoint < to) ({ checkpoint } = await store.commit([filler(checkpoint)]));
    },
    checkpoint: () => checkpoint,
  };
}

const keyRecordOf = (customer: string): ApiKeyRecord => ({
  id: customer,
  prefix: customer,
  digest: "",
  pepper: 1,
  customer,
  created: now,
  expires: null,
  revoked: null,
  lastUsed: null,
});

/** Resolutions of properties: one Placekey was replaced by another one. */
export const resolutions = [
  { id: "222-222@8t2-fjb-26k", placekey: "223-223@8t2-fjb-45f", resolved: now * 1000 },
];

const profileOf = (datasetId: string, approved: number | null): MlsProfile => ({
  datasetId,
  displayName: `Name of ${datasetId}`,
  fullName: `Full name of ${datasetId}`,
  disclaimer: "Deemed reliable.",
  logoUrl: "https://mls.example/logo.svg",
  rulesUrl: "https://mls.example/rules",
  updateHours: 12,
  approved,
});

/** Of the datasets, one has an approved profile, one a draft, and one none. */
const profiles: ReadonlyMap<string, MlsProfile> = new Map([
  [datasets[0], profileOf(datasets[0], now * 1000)],
  [datasets[1], profileOf(datasets[1], null)],
]);

/** Creates the application over a store. It admits the customers that the current rule has a scope for. */
export const appOver = (
  store: Store,
  rule: () => Rule,
  events?: EntityEvents,
  clock: () => number = atNow,
): Express => {
  const services: Services = {
    catalog: testCatalog,
    config: readConfig({
      CADASTRE_BASE_URL: baseUrl,
      CADASTRE_PAGE_SIZE: "3",
      CADASTRE_MINIMUM_CELL_SIZE: "2",
      CADASTRE_MCP: "true",
      CADASTRE_EXTENSIONS: "delta,expand,search,compute,apply,field",
    }),
    log: pino({ level: "silent" }),
    store,
    memory: new MemoryBudget(memoryLimits(1024, 2)),
    skipTokenKey,
    random,
    events,
    get activeEntitySets() {
      return rule().activeEntitySets;
    },
    keys: { find: async (customer) => keyRecordOf(customer), findEnded: async () => undefined },
    scopes: activeScopes((customer) => rule().scopes[customer]),
    identities: async () => identitiesOf(resolutions),
    profiles: async () => profiles,
    now: clock,
    rates: createRates({ requestsPerSecond: 0, refusalsPerSecond: 0 }),
    readiness: { reasons: async () => [] },
  };
  return createApp(services);
};

/** Events that are made without a limit of time. */
async function eventsOf(store: Store, registry: AccessRegistry): Promise<EntityEvents> {
  for (const customer of ["one", "other"])
    await registry.entitlements.install({ customer, version: 1, jws: customer, installed: now });
  return createEntityEvents({
    store,
    catalog: testCatalog,
    logs: registry.events,
    database: registry.database,
    catalogVersion: 1,
    baseUrl,
    wait: 60_000,
    now: atNow,
  });
}

type SideOptions = {
  /** Agent of the requests; without it each has a connection of its own. */
  readonly agent?: Agent;
  /** Registry of the events; without it none are offered. */
  readonly registry?: AccessRegistry | undefined;
  readonly clock?: () => number;
  /** True if requests without a body are answered without a connection, which must not overlap. */
  readonly isDirect?: boolean;
};

export async function openSide(
  store: FilledStore,
  { registry, clock, agent, isDirect }: SideOptions = {},
): Promise<Side> {
  let rule: Rule = { activeEntitySets: [], scopes: {} };
  const events = registry && (await eventsOf(store, registry));
  const app = appOver(store, () => rule, events, clock);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const direct = isDirect === true ? inProcess(app) : undefined;
  const base = `http://127.0.0.1:${server.port}`;
  return {
    ...(await filling(store)),
    admit: (grants) => {
      rule = ruleOf(grants);
    },
    admitBare: (grants) => {
      rule = bareRuleOf(grants);
    },
    ask: (customer, link, { carrier = "address", method = "GET", headers = {} } = {}) => {
      const sent = carriedBy(carrier, { target: link.replace(baseUrl, ""), method, headers });
      const own = { ...sent.headers, "x-api-key": customer };
      return direct !== undefined && carrier === "address"
        ? direct(sent.target, own, sent.method)
        : ask(base, sent.target, own, sent.method, sent.body, agent);
    },
    stop: async () => {
      await server.stop(0);
      await events?.stop();
    },
  };
}
