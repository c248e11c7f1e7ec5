import { randomUUID } from "node:crypto";
import type { Knex } from "knex";

/** A value derived from a pepper. It identifies the pepper without disclosing it. */
export type PepperCheck = { readonly version: number; readonly checkValue: string };

/** Identifiers that show whether files beside a registry belong to it. */
export type RegistryGuards = {
  /** Returns the random id of this registry. It is created on the first call and never changes. */
  readonly id: () => Promise<string>;
  /** Records the check values of peppers, replacing those recorded for the same versions. */
  readonly notePeppers: (checks: readonly PepperCheck[]) => Promise<void>;
  /**
   * Records the fingerprint of something that every process with this registry must have in common, unless one is recorded. Returns the
   * recorded one.
   */
  readonly fingerprint: (name: string, value: string) => Promise<string>;
  /** Records a fingerprint, replacing the one of the same name. */
  readonly replaceFingerprint: (name: string, value: string) => Promise<void>;
};

type PepperRow = { readonly version: number; readonly check_value: string };
type FingerprintRow = { readonly name: string; readonly value: string };
type RegistryRow = { readonly number: number; readonly id: string };

const pepperTable = (knex: Knex) => knex<PepperRow>("cadastre_pepper");
const fingerprintTable = (knex: Knex) => knex<FingerprintRow>("cadastre_fingerprint");
const registryTable = (knex: Knex) => knex<RegistryRow>("cadastre_registry");

/** Primary key of the only row. */
const number = 1;

export const createRegistryGuards = (knex: Knex): RegistryGuards => ({
  id: async () => {
    const known = await registryTable(knex).where({ number }).first();
    if (known !== undefined) return known.id;
    await registryTable(knex).insert({ number, id: randomUUID() }).onConflict("number").ignore();
    const [row] = await registryTable(knex).where({ number });
    if (row === undefined) throw new RangeError("the registry has no id");
    return row.id;
  },
  notePeppers: async (checks) => {
    const known = new Map((await pepperTable(knex)).map((row) => [row.version, row.check_value]));
    for (const { version, checkValue } of checks)
      if (known.get(version) !== checkValue)
        await pepperTable(knex).insert({ version, check_value: checkValue }).onConflict("version").merge();
  },
  fingerprint: async (name, value) => {
    // Read first, because the database's role of a worker may not write it.
    const known = await fingerprintTable(knex).where({ name }).first();
    if (known !== undefined) return known.value;
    await fingerprintTable(knex).insert({ name, value }).onConflict("name").ignore();
    const row = await fingerprintTable(knex).where({ name }).first();
    return row?.value ?? value;
  },
  replaceFingerprint: async (name, value) => {
    await fingerprintTable(knex).insert({ name, value }).onConflict("name").merge();
  },
});
