import type { Knex } from "knex";
import type { Retry } from "../database/retry-while-busy.ts";
import type { BackgroundReader } from "./background-reader.ts";
import { type CatalogVersions, createCatalogVersions } from "./catalog-versions.ts";
import { announcing, type RegistryChanges } from "./changes.ts";
import { createEntitlementRegistry, type EntitlementRegistry } from "./entitlements.ts";
import { createEventLogs, type EventLogs } from "./event-logs.ts";
import { createFeedRegistry, type FeedRegistry } from "./feeds.ts";
import { guarded, type RefusalClass, type TableMethods } from "./guarded.ts";
import { createRegistryGuards, type RegistryGuards } from "./guards.ts";
import { createIdentityRegister, type IdentityRegister } from "./identities.ts";
import { createKeyRegistry, type KeyRegistry } from "./keys.ts";
import type { LookUps } from "./look-ups.ts";
import { createProfileRegistry, type ProfileRegistry } from "./profiles.ts";
import { createSealedDocuments, type SealedDocuments } from "./sealed-documents.ts";
import { createUsageReports, type UsageReports } from "./usage-reports.ts";
import { createWorkerHeartbeats, type WorkerHeartbeats } from "./worker-heartbeats.ts";

/** The open database of a registry, for packages that keep their own tables in it. */
export type RegistryDatabase = {
  readonly engine: "sqlite" | "postgres";
  readonly knex: Knex;
  /** Runs statements that may read much. On SQLite they run in a thread. */
  readonly background: BackgroundReader;
  readonly lookUps: Pick<LookUps, "of">;
  /**
   * Returns the same methods. They retry while another process writes, and throw {@link StoreError} `registry_unavailable` in place of an
   * error of the database. Errors of the class `Refusal` are thrown unchanged.
   */
  readonly guarded: <Methods extends TableMethods>(methods: Methods, Refusal: RefusalClass) => Methods;
};

/** The records that a service keeps besides its listings: who has access, and to what. Several processes may have one registry open. */
export type AccessRegistry = {
  readonly guards: RegistryGuards;
  readonly keys: KeyRegistry;
  readonly entitlements: EntitlementRegistry;
  readonly identities: IdentityRegister;
  readonly profiles: ProfileRegistry;
  readonly feeds: FeedRegistry;
  readonly events: EventLogs;
  readonly catalogs: CatalogVersions;
  readonly sealed: SealedDocuments;
  readonly changes: RegistryChanges;
  /** Undefined in SQLite, whose registry one machine has. */
  readonly usage: UsageReports | undefined;
  readonly workers: WorkerHeartbeats;
  readonly database: RegistryDatabase;
  readonly close: () => Promise<void>;
};

/** How a registry notifies other processes of its changes, and hears of theirs. */
type Notifications = RegistryChanges & {
  readonly announce: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Notifications of a database that has none. */
const silent: Notifications = {
  follow: () => {},
  revision: () => 0,
  announce: async () => {},
  stop: async () => {},
};

/** Creates the registry of a database whose tables exist. */
export const createRegistry = (
  knex: Knex,
  attempt: Retry,
  engine: RegistryDatabase["engine"],
  background: BackgroundReader & { readonly close?: () => Promise<void> },
  lookUps: LookUps,
  { announce, stop, ...changes }: Notifications = silent,
): AccessRegistry => ({
  guards: guarded(createRegistryGuards(knex), attempt),
  // Uses of keys are not announced: they change nothing that other processes remember.
  keys: announcing(guarded(createKeyRegistry(knex, lookUps), attempt), ["add", "rotate", "revoke"], announce),
  entitlements: announcing(
    guarded(createEntitlementRegistry(knex, lookUps), attempt),
    ["install", "remove"],
    announce,
  ),
  identities: guarded(createIdentityRegister(knex), attempt),
  profiles: announcing(guarded(createProfileRegistry(knex), attempt), ["set"], announce),
  feeds: guarded(createFeedRegistry(knex), attempt),
  events: guarded(createEventLogs(knex, engine), attempt),
  catalogs: announcing(guarded(createCatalogVersions(knex), attempt), ["add"], announce),
  sealed: announcing(guarded(createSealedDocuments(knex), attempt), ["replace"], announce),
  usage: engine === "postgres" ? guarded(createUsageReports(knex), attempt) : undefined,
  workers: guarded(createWorkerHeartbeats(knex, engine), attempt),
  database: {
    engine,
    knex,
    background,
    lookUps,
    guarded: (methods, Refusal) => guarded(methods, attempt, Refusal),
  },
  changes,
  close: async () => {
    await stop();
    await background.close?.();
    lookUps.close();
    await knex.destroy();
  },
});
