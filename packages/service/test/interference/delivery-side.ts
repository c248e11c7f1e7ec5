import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  createDeliveries,
  createDeliveryRegistry,
  createDocuments,
  createScheduler,
  createSubscriptions,
  createWorker,
  DeliveryError,
  domainNames,
  type ExportSource,
  entitySetReader,
  followingReader,
  marketReader,
  type Narrowing,
  type OutputProfile,
  type PartStore,
  propertyReader,
  selectedFollowing,
  selectedRecords,
  storeSource,
} from "@cadastre/delivery";
import { compileScope, type Scope } from "@cadastre/entitlement";
import { readManifest, signManifest } from "@cadastre/manifest";
import { QueryError } from "@cadastre/odata";
import type { AccessRegistry } from "@cadastre/store/registry";
import { statusView } from "../../src/delivery/delivery-view.ts";
import type { FilledStore } from "./memory-store.ts";
import type { Grants } from "./projection.ts";
import { documentOf, type Filling, filling, resolutions } from "./side.ts";
import { now, scopeOptions, universeSet } from "./universe.ts";

/** Signing key of both sides. Ed25519 is deterministic, so equal manifests have equal signatures. */
const { privateKey } = generateKeyPairSync("ed25519");

const day = 86_400_000;

/** Domains that deliveries are requested for: all those whose sets the universe has. */
export const askedDomains = domainNames;

/** Everything that a customer receives of a delivery, or the code of the refusal. */
export type Delivered = {
  readonly refused?: string;
  readonly said?: readonly string[];
  readonly parts?: readonly string[];
};

/** A customer with exports and a subscription, all of one profile. */
type DeliveredCustomer = {
  readonly exported: () => Promise<Delivered>;
  /** Lets a day pass, so that the present state is one of the past. */
  readonly passed: () => Promise<void>;
  /** Returns an export of the state before the day that `passed`: by its time, or by the checkpoint that the first export ended at. */
  readonly exportedAsOf: (state: "time" | "checkpoint") => Promise<Delivered>;
  /** Creates the subscription and returns its seed. */
  readonly subscribed: () => Promise<Delivered>;
  /** Returns its next delivery, a day later. */
  readonly followed: () => Promise<Delivered>;
  /** Gives the customer another entitlement. */
  readonly granted: (grants: Grants) => Promise<void>;
  /** Returns why the subscription is suspended; null if it is not. */
  readonly suspended: () => Promise<string | null>;
  readonly unsubscribe: () => Promise<void>;
};

/** Deliveries over a store, with a clock and random bytes that are the same on every side. */
export type DeliverySide = Filling & {
  /**
   * @param nth a different number for each customer
   * @param asked filter and fields that all of its requests have
   */
  readonly admit: (
    nth: number,
    grants: Grants,
    profile: OutputProfile,
    asked?: Narrowing,
  ) => Promise<DeliveredCustomer>;
  readonly close: () => Promise<void>;
};

/** @param folder folder of the parts */
export async function openDeliverySide(
  store: FilledStore,
  registry: AccessRegistry,
  folder: string,
): Promise<DeliverySide> {
  const { deliveries: ledger, subscriptions: registered } = createDeliveryRegistry(registry.database);
  const parts = partsInMemory(join(folder, "staging"));
  let at = now * 1000;
  /** The last checkpoint of each day that has passed. The times of commits are those of this machine, and differ between the sides. */
  const days: { readonly time: number; readonly checkpoint: number }[] = [];
  const source: ExportSource = {
    ...sourceOver(store),
    stateAt: async (time) => {
      const { earliest } = await store.stateAt(time);
      return { checkpoint: days.findLast((one) => one.time <= time)?.checkpoint ?? 0, earliest };
    },
  };

  async function admit(
    nth: number,
    grants: Grants,
    profile: OutputProfile,
    asked: Narrowing = {},
  ): Promise<DeliveredCustomer> {
    let scope = scopeOf(`customer ${nth}`, grants);
    const { customer } = scope;
    let caller = { scope, apiKey: "01" };
    const install = ({ version }: Scope) =>
      registry.entitlements.install({ customer, version, jws: `a.b.${version}`, installed: now });
    await install(scope);
    let drawn = 0;
    const random = (length: number) => {
      const drawing = createHash("shake256", { outputLength: length }).update(`${nth} ${++drawn}`);
      return drawing.digest();
    };
    const common = { source, profiles: [profile], clock: () => at, random };
    const deliveries = createDeliveries({ ...common, ledger, parts });
    const subscriptions = createSubscriptions({ ...common, registry: registered });
    const scopeNow = async () => scope;
    const faults: unknown[] = [];
    const scheduler = createScheduler({
      ...common,
      registry: registered,
      scopeOf: scopeNow,
      report: ({ outcome, cause }) => {
        if (outcome === "failed") faults.push(cause);
      },
    });
    const worker = createWorker({
      ledger,
      source,
      parts,
      scopeOf: scopeNow,
      sign: (bytes) => signManifest(bytes, { privateKey, kid: "test" }),
      name: "worker",
    });
    const documents = createDocuments({
      ledger,
      source,
      profiles: [profile],
      creditsOf: () => ({ sources: [], attribution: [] }),
    });
    /** Returns the profiles that the customer is offered, and the documents that a manifest names by hash. */
    async function documentsNamed(manifest: string): Promise<readonly string[]> {
      const { schema, profile: of, documents: listed = [] } = readManifest(Buffer.from(manifest));
      const found = await Promise.all([
        documents.schema(scope, schema.sha256),
        ...(listed.some(({ kind }) => kind === "profile") ? [documents.profile(scope, of.sha256)] : []),
      ]);
      return [...found.map((one) => one.text), JSON.stringify(documents.profiles(scope))];
    }
    const request = { domain: profile.domain, deliveryMode: "pull", ...asked } as const;
    let subscription = "";

    /** Builds what is due and returns what was delivered. */
    async function built(idOf: () => Promise<string>): Promise<Delivered> {
      await scheduler.tick();
      for (let done = await worker.work(); done !== undefined; done = await worker.work())
        if (done.outcome !== "complete") faults.push(done.cause ?? done.code);
      if (faults.length > 0) throw faults[0];
      const id = await idOf();
      // The completion time comes from the database's own clock.
      const { completedAt: _, ...status } = statusView(await deliveries.status(caller, id), new Map());
      const sealed = await deliveries.manifest(caller, id);
      const found: string[] = [];
      for (const part of readManifest(Buffer.from(sealed.text)).parts)
        found.push(await text((await parts.open(part)).stream()));
      const texts = await documentsNamed(sealed.text);
      return { said: [JSON.stringify(status), sealed.text, sealed.signature, ...texts], parts: found };
    }
    let requested = 0;
    /** Name of the checkpoint that the first export ended at, and the time before the day that passed. */
    let [end, before] = ["", 0];
    const exported = (asOf?: string): Promise<Delivered> =>
      orRefused(async () => {
        const idempotencyKey = `key ${++requested}`;
        const { delivery } = await deliveries.create(caller, { ...request, asOf, idempotencyKey });
        return built(async () => delivery.id);
      });
    const lastOne = async () => (await registered.deliveries(customer, subscription, 1))[0]?.id ?? "";

    return {
      exported: async () => {
        const first = await exported();
        const manifest = first.said?.[1];
        if (manifest !== undefined) end = readManifest(Buffer.from(manifest)).window.toCheckpoint;
        return first;
      },
      passed: async () => {
        before = at;
        days.push({ time: at, checkpoint: await store.checkpoint() });
        at += day;
      },
      exportedAsOf: (state) => exported(state === "time" ? new Date(before).toISOString() : end),
      subscribed: () =>
        orRefused(async () => {
          const daily = { ...request, name: "one", cadenceSeconds: day / 1000 };
          subscription = (await subscriptions.create(caller, daily)).subscription.id;
          return built(lastOne);
        }),
      followed: () =>
        orRefused(async () => {
          at += day;
          return built(lastOne);
        }),
      granted: async (to) => {
        scope = scopeOf(customer, to, scope.version + 1);
        caller = { scope, apiKey: "01" };
        await install(scope);
      },
      suspended: async () => (await registered.find(customer, subscription))?.code ?? null,
      unsubscribe: async () => {
        await subscriptions.cancel(caller, subscription);
      },
    };
  }
  return { ...(await filling(store)), admit, close: () => registry.close() };
}

/** Creates a part store in memory, which is faster than on disk. */
function partsInMemory(staging: string): PartStore {
  const kept = new Map<string, Buffer>();
  mkdirSync(staging);
  const put: PartStore["put"] = async (file, { sha256 }) => {
    kept.set(sha256, readFileSync(file));
    rmSync(file);
  };
  return {
    stage: async () => staging,
    put,
    replace: put,
    probe: async () => {},
    open: async ({ sha256, byteLength }) => ({
      byteLength,
      stream: () => Readable.from([kept.get(sha256)]),
      sendTo: async (to) => void to.end(kept.get(sha256)),
    }),
    remove: async (sha256) => void kept.delete(sha256),
    sweep: async () => 0,
  };
}

const orRefused = (work: () => Promise<Delivered>): Promise<Delivered> =>
  work().catch((error: unknown) => {
    if (error instanceof DeliveryError || error instanceof QueryError) return { refused: error.code };
    throw error;
  });

const scopeOf = (customer: string, grants: Grants, ver = 1): Scope =>
  compileScope({ ...documentOf(customer, grants), ver, products: [...askedDomains] }, scopeOptions);

function sourceOver(store: FilledStore): ExportSource {
  const entitySet = universeSet("Property");
  const ofListing = {
    store,
    entitySet: universeSet("Media"),
    link: "ResourceRecordKey",
    selected: selectedRecords(store, entitySet),
  };
  const ofMedia = {
    store,
    entitySet: universeSet("MediaAsset"),
    link: "MediaKey",
    selected: selectedFollowing(ofListing),
  };
  const identities = { resolutions: async () => resolutions, revision: async () => 1 };
  return storeSource(store, {
    listing: entitySetReader(store, entitySet),
    listing_media: followingReader(ofListing),
    media_assets: followingReader(ofMedia),
    property: propertyReader({ store, entitySet, identities }),
    // With so few listings a cell may have one: `scopes.test.ts` tests larger cells.
    market_report: marketReader({ store, entitySet, least: 1 }),
    public_record: entitySetReader(store, universeSet("PublicRecord")),
    member: entitySetReader(store, universeSet("Member")),
    office: entitySetReader(store, universeSet("Office")),
    open_house: entitySetReader(store, universeSet("OpenHouse")),
    lookup: entitySetReader(store, universeSet("Lookup")),
  });
}
