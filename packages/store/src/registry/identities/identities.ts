import type { Knex } from "knex";
import { StoreError } from "../../errors.ts";
import type { CrosswalkEntry, IdentityRegister, Resolution } from "./identity.ts";
import { countChange, crosswalkTable, resolutionTable, selectResolutions, selectRevision } from "./rows.ts";

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
