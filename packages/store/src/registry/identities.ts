import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import type { Int64Column } from "./int64-column.ts";

/** A redirect from an id of a physical property to a Placekey: a request for the id returns the property of the Placekey. */
export type Resolution = {
  /** `prov:<ULID>`, or a Placekey that was replaced by another one. */
  readonly id: string;
  readonly placekey: string;
  /** Milliseconds since 1970. */
  readonly resolved: number;
};

/** Sets the Placekey of a listing in place of the one from its source. Null removes such an entry. */
export type CrosswalkEntry = { readonly listing: string; readonly placekey: string | null };

/**
 * Resolved ids of physical properties, and Placekeys assigned to listings. Every method throws {@link StoreError}
 * `registry_unavailable`.
 */
export type IdentityRegister = {
  /**
   * Resolves an id to a Placekey, and replaces an earlier resolution. If the id is already resolved to this Placekey, nothing is
   * changed.
   *
   * @throws {StoreError} `identity_circle` if the Placekey resolves to the id, directly or through others
   */
  readonly resolve: (id: string, placekey: string, at: number) => Promise<Resolution>;
  /** Removes the resolution of an id. Returns false if it has none. */
  readonly release: (id: string) => Promise<boolean>;
  /** All resolutions, ordered by id. */
  readonly resolutions: () => Promise<readonly Resolution[]>;
  /** Number that increases whenever a resolution is set or removed. */
  readonly revision: () => Promise<number>;
  /** Assigns Placekeys to listings of a source. They take effect when the listings are next ingested. */
  readonly assign: (source: string, entries: readonly CrosswalkEntry[]) => Promise<void>;
  /** Returns the assigned Placekeys of listings of a source, by listing. */
  readonly assigned: (source: string, listings: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** Maximum number of listings in one statement. */
const groupSize = 500;

/** Creates the identity register of a registry database. */
export function createIdentityRegister(knex: Knex): IdentityRegister {
  return {
    resolve: (id, placekey, at) =>
      knex.transaction(async (transaction) => {
        // The first statement must be a write, see `withCustomerLock`.
        await countChange(transaction);
        const [known] = await selectResolutions(transaction, { id });
        if (known?.placekey === placekey) return known;
        await refuseCircle(transaction, id, placekey);
        const resolution: Resolution = { id, placekey, resolved: at };
        await resolutionTable(transaction).insert(resolution).onConflict("id").merge();
        return resolution;
      }),
    release: (id) =>
      knex.transaction(async (transaction) => {
        await countChange(transaction);
        return (await resolutionTable(transaction).where({ id }).delete()) > 0;
      }),
    resolutions: () => selectResolutions(knex, {}),
    revision: () => selectRevision(knex),
    assign: (source, entries) =>
      knex.transaction(async (transaction) => {
        for (let start = 0; start < entries.length; start += groupSize)
          await assign(transaction, source, entries.slice(start, start + groupSize));
      }),
    assigned: async (source, listings) => {
      const found = new Map<string, string>();
      for (let start = 0; start < listings.length; start += groupSize) {
        const rows = await crosswalkTable(knex)
          .where({ source })
          .whereIn("listing", listings.slice(start, start + groupSize));
        for (const { listing, placekey } of rows) found.set(listing, placekey);
      }
      return found;
    },
  };
}

/**
 * Checks that `placekey` does not resolve to `id`, directly or through others.
 *
 * @throws {StoreError} `identity_circle`
 */
async function refuseCircle(transaction: Knex.Transaction, id: string, placekey: string): Promise<void> {
  for (let next: string | undefined = placekey; next !== undefined; ) {
    if (next === id) throw new StoreError("identity_circle", `${placekey} answers as ${id}`);
    next = (await selectResolutions(transaction, { id: next }))[0]?.placekey;
  }
}

async function assign(
  transaction: Knex.Transaction,
  source: string,
  entries: readonly CrosswalkEntry[],
): Promise<void> {
  // If a listing has several entries, the last one wins.
  const last = new Map(entries.map(({ listing, placekey }) => [listing, placekey]));
  const listings = [...last.keys()];
  await crosswalkTable(transaction).where({ source }).whereIn("listing", listings).delete();
  const rows = [...last].flatMap(([listing, placekey]) =>
    placekey === null ? [] : [{ source, listing, placekey }],
  );
  if (rows.length > 0) await crosswalkTable(transaction).insert(rows);
}

type ResolutionRow = Omit<Resolution, "resolved"> & { readonly resolved: Int64Column };
type CrosswalkRow = { readonly source: string; readonly listing: string; readonly placekey: string };
type RevisionRow = { readonly name: string; readonly revision: Int64Column };

/** Query builders for the tables. */
const resolutionTable = (knex: Knex) => knex<ResolutionRow>("cadastre_resolution");
const crosswalkTable = (knex: Knex) => knex<CrosswalkRow>("cadastre_crosswalk");
const revisionTable = (knex: Knex) => knex<RevisionRow>("cadastre_revision");

/** Key of the revision that counts changes of the resolutions. */
const name = "resolutions";

async function selectResolutions(
  knex: Knex,
  values: Partial<Pick<Resolution, "id">>,
): Promise<readonly Resolution[]> {
  const rows: readonly ResolutionRow[] = await resolutionTable(knex).where(values).orderBy("id");
  return rows.map(({ id, placekey, resolved }) => ({ id, placekey, resolved: Number(resolved) }));
}

async function selectRevision(knex: Knex): Promise<number> {
  const row: RevisionRow | undefined = await revisionTable(knex).where({ name }).first();
  return Number(row?.revision ?? 0);
}

/** Increments the revision. Its row lock delays other changes until the transaction has ended. */
async function countChange(transaction: Knex.Transaction): Promise<void> {
  await revisionTable(transaction)
    .insert({ name, revision: 1 })
    .onConflict("name")
    .merge({ revision: transaction.raw("?? + 1", ["cadastre_revision.revision"]) });
}
