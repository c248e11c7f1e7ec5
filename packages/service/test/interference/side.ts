import { compileScope, type Scope } from "@cadastre/entitlement";
import { pino } from "pino";
import { createApp, type Services } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { listen } from "../../src/http/server.ts";
import { ask, type Headers, type Reply } from "../support/ask.ts";
import type { FilledStore } from "./memory-store.ts";
import type { Grants, World } from "./projection.ts";
import { entitySets, resourceNames, ungranted, universeSet } from "./universe.ts";
import { identityOf, removalOf, stored } from "./worlds.ts";

/** Everybody who asks; the API key of each is his name. */
export type Customer = "one" | "other";
export type GrantsOfAll = Readonly<Record<Customer, Grants>>;

/** The address that links are made of, so that two services give the same ones. */
const baseUrl = "https://feed.example";

/** The moment at which everything happens, in seconds since 1970. */
const now = 1_750_000_000;

/** All services seal their tokens with the same bytes, which no service may do. */
export const skipTokenKey = Buffer.alloc(32, 7);
const random = (bytes: number) => Buffer.alloc(bytes, 9);

const scopeOf = (sub: Customer, { regions, datasets }: Grants): Scope =>
  compileScope(
    {
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
    },
    { entitySets },
  );

/** A whole service on a socket, over a store that is filled anew for each case. */
export type Side = {
  /** Let the customers in with these grants from now on. */
  readonly admit: (grants: GrantsOfAll) => void;
  /** Make the world what the store holds, in one commit. */
  readonly fill: (world: World) => Promise<void>;
  /** Commit something that nobody may see, as often as it takes to come to the checkpoint. */
  readonly advance: (checkpoint: number) => Promise<void>;
  /** Number of the last commit. */
  readonly checkpoint: () => number;
  readonly ask: (customer: Customer, target: string, method?: string, headers?: Headers) => Promise<Reply>;
  readonly stop: () => Promise<void>;
};

/** A change that no entitlement shows, another one each time. */
const filler = (count: number) => ({
  resource: "Member",
  datasetId: ungranted,
  record: {
    MemberKey: "filler",
    OriginatingSystemName: `filler ${count}`,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
  },
});

export async function openSide(store: FilledStore): Promise<Side> {
  let scopes: Readonly<Record<string, Scope>> = {};
  const services: Services = {
    config: readConfig({ CADASTRE_BASE_URL: baseUrl, CADASTRE_PAGE_SIZE: "3" }),
    log: pino({ level: "silent" }),
    store,
    skipTokenKey,
    random,
    activeEntitySets: resourceNames.map(universeSet),
    keys: { find: (customer) => ({ id: customer, digest: "", customer, expires: null, revoked: null }) },
    scopes: {
      of: async (customer) => {
        const scope = scopes[customer];
        if (scope === undefined) throw new RangeError(`no customer ${customer}`);
        return scope;
      },
    },
    now: () => now * 1000,
    readiness: { ready: true },
  };
  const server = await listen(createApp(services), { host: "127.0.0.1", port: 0 });
  const base = `http://127.0.0.1:${server.port}`;
  let held: World = [];
  let checkpoint = await store.checkpoint();
  return {
    admit: ({ one, other }) => {
      scopes = { one: scopeOf("one", one), other: scopeOf("other", other) };
    },
    fill: async (world) => {
      const present = new Set(world.map(identityOf));
      const removed = held.filter((row) => !present.has(identityOf(row))).map(removalOf);
      ({ checkpoint } = await store.commit([...removed, ...stored(world), filler(checkpoint)]));
      held = world;
    },
    advance: async (to) => {
      while (checkpoint < to) ({ checkpoint } = await store.commit([filler(checkpoint)]));
    },
    checkpoint: () => checkpoint,
    ask: (customer, target, method = "GET", headers = {}) =>
      ask(base, target.replace(baseUrl, ""), { ...headers, "x-api-key": customer }, method),
    stop: async () => {
      await server.stop(0);
      await store.close();
    },
  };
}
