import type { Knex } from "knex";
import type { Retry } from "../database/retry-while-busy.ts";
import { createEntitlementRegistry, type EntitlementRegistry } from "./entitlements.ts";
import { guarded, type RefusalClass, type TableMethods } from "./guarded.ts";
import { createRegistryGuards, type RegistryGuards } from "./guards.ts";
import { createIdentityRegister, type IdentityRegister } from "./identities.ts";
import { createKeyRegistry, type KeyRegistry } from "./keys.ts";
import { createProfileRegistry, type ProfileRegistry } from "./profiles.ts";

/** The open database of a registry, for packages that keep their own tables in it. */
export type RegistryDatabase = {
  readonly engine: "sqlite" | "postgres";
  readonly knex: Knex;
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
  readonly database: RegistryDatabase;
  readonly close: () => Promise<void>;
};

/** Creates the registry of a database whose tables exist. */
export const createRegistry = (
  knex: Knex,
  attempt: Retry,
  engine: RegistryDatabase["engine"],
): AccessRegistry => ({
  guards: guarded(createRegistryGuards(knex), attempt),
  keys: guarded(createKeyRegistry(knex), attempt),
  entitlements: guarded(createEntitlementRegistry(knex), attempt),
  identities: guarded(createIdentityRegister(knex), attempt),
  profiles: guarded(createProfileRegistry(knex), attempt),
  database: { engine, knex, guarded: (methods, Refusal) => guarded(methods, attempt, Refusal) },
  close: () => knex.destroy(),
});
