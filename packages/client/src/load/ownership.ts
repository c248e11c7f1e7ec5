import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { staged } from "./fill.ts";
import { linkOf, streamOf } from "./ledger.ts";
import type { Relation } from "./relation.ts";
import type { SqlSession } from "./session.ts";
import { type LedgerTable, type LedgerTables, lastEntryOf, readTables } from "./sql-ledger.ts";

/** A table that a load would write, and its key if the manifest is known already. */
type Wanted = { readonly name: string; readonly keyField?: string };

/** A load that writes tables. */
type Claim = {
  /** Stream of the delivery; undefined if there is no delivery yet. */
  readonly stream?: string;
  /** True if the copies of other subscriptions in the tables may be ended. */
  readonly replaceCopy: boolean;
};

/**
 * Requires that every table that a load would write is new, was filled by this program before, or is an empty ordinary table that
 * the user created for it, with the dataset's key as its primary key.
 *
 * @returns the names of the tables that exist
 * @throws {ClientError} `table_occupied`, `table_followed`, `table_referenced`, `table_foreign`
 */
export async function requireOwnTables(
  session: SqlSession,
  manifest: Manifest,
  { replaceCopy }: Pick<Claim, "replaceCopy">,
): Promise<readonly string[]> {
  const isDelta = manifest.kind === "delta";
  const known = await readTables(session);
  const stream = streamOf(manifest);
  const foreign = manifest.datasets.find(({ name }) => known.get(name)?.stream !== stream);
  if (isDelta && foreign !== undefined) throw new ClientError("table_foreign", { table: foreign.name });
  const claim: Claim = { stream, replaceCopy };
  const existing = await requireFree(session, manifest.datasets, known, claim);
  const missing = manifest.datasets.find(({ name }) => !existing.includes(name));
  if (isDelta && missing !== undefined) throw new ClientError("table_foreign", { table: missing.name });
  if (isDelta) {
    for (const { name } of manifest.datasets)
      if (!isMarked(await session.relation(name), known.get(name)))
        throw new ClientError("table_foreign", { table: name });
    await requireStagingFree(session);
  }
  const ended = new Set(isDelta ? [] : await copiesEndedBy(session, manifest, claim));
  const dropped = [...known].filter(
    ([name, of]) =>
      (of.stream === stream || ended.has(of.stream)) &&
      !isDelta &&
      !manifest.datasets.some((dataset) => dataset.name === name),
  );
  const emptied = await requireFree(
    session,
    dropped.map(([name]) => ({ name })),
    known,
    claim,
  );
  return [...existing, ...emptied];
}

/** Returns the subscriptions whose copies a snapshot or a seed ends, because it takes a table of them. */
export async function copiesEndedBy(
  session: SqlSession,
  manifest: Manifest,
  { replaceCopy }: Pick<Claim, "replaceCopy">,
): Promise<readonly string[]> {
  if (!replaceCopy) return [];
  const known = await readTables(session);
  const streams = new Set(manifest.datasets.flatMap(({ name }) => known.get(name)?.stream ?? []));
  streams.delete(streamOf(manifest));
  const ended: string[] = [];
  for (const stream of streams) if (await isFollowed(session, stream)) ended.push(stream);
  return ended;
}

/** True if a stream with entries in the ledger is a subscription: one-off exports have none. */
async function isFollowed(session: SqlSession, stream: string): Promise<boolean> {
  const last = await lastEntryOf(session, stream);
  return last !== undefined && linkOf(last).manifest.subscriptionId !== null;
}

/**
 * Checks that the tables of a subscription still hold what was loaded last.
 *
 * @returns `copy_replaced` or `table_foreign` for the first table that does not; undefined if all do
 */
export async function copyFault(session: SqlSession, manifest: Manifest): Promise<ClientError | undefined> {
  const known = await readTables(session);
  const subscription = streamOf(manifest);
  for (const { name } of manifest.datasets) {
    const listed = known.get(name);
    const table = session.names.prefix + name;
    if (listed !== undefined && listed.stream !== subscription) {
      const by = await lastEntryOf(session, listed.stream);
      const delivery = by === undefined ? listed.stream : linkOf(by).manifest.deliveryId;
      const at = by?.loadedAt ?? "an unknown time";
      return new ClientError("copy_replaced", { table, subscription, delivery, at });
    }
    if (!isMarked(await session.relation(name), listed)) return new ClientError("table_foreign", { table });
  }
  return undefined;
}

/** As {@link requireOwnTables}, before there is a manifest. @returns the names of the tables that exist */
export async function requireFree(
  session: SqlSession,
  wanted: readonly Wanted[],
  known: LedgerTables,
  { stream, replaceCopy }: Claim,
): Promise<readonly string[]> {
  const existing: string[] = [];
  const options = session.placeOptions;
  for (const { name, keyField } of wanted) {
    const relation = await session.relation(name);
    if (relation === undefined) continue;
    const table = session.names.shown(name);
    const occupied = (kind: string) => new ClientError("table_occupied", { table, kind, options });
    // The user may have partitioned a table that this program filled.
    const listed = known.get(name);
    const isPartitioned = relation.kind === "partitioned table" && listed !== undefined;
    if (relation.kind !== "table" && !isPartitioned) throw occupied(relation.kind);
    if (keyField !== undefined && !relation.columns.includes(keyField))
      throw occupied("table with other columns");
    if (listed !== undefined && isMarked(relation, listed)) {
      const isOther = listed.stream !== stream && !replaceCopy;
      if (isOther && (await isFollowed(session, listed.stream)))
        throw new ClientError("table_followed", { table, subscription: listed.stream, options });
    } else {
      if (await hasRows(session, name)) throw occupied("table with rows");
      if (session.replacesTables) throw occupied("table");
      if (keyField !== undefined && relation.primaryKey.join() !== keyField)
        throw occupied(`table without the primary key ${keyField}`);
      // The name of the key is not known yet, but every dataset has one key field.
      if (relation.primaryKey.length !== 1) throw occupied("table without a primary key of one column");
    }
    const [dependent] = relation.dependents;
    if (dependent !== undefined) throw new ClientError("table_referenced", { table, dependent, options });
    existing.push(name);
  }
  return existing;
}

/** True if a table is the one that the ledger lists. The user may have dropped that one and created another one of its name. */
export const isMarked = (relation: Relation | undefined, listed: LedgerTable | undefined): boolean =>
  relation !== undefined &&
  listed !== undefined &&
  (listed.marks?.some((mark) => relation.marks.includes(mark)) ?? true);

async function requireStagingFree(session: SqlSession): Promise<void> {
  for (const name of Object.values(staged))
    for (const own of [name, `${name}_key`]) {
      const relation = await session.relation(own);
      if (relation !== undefined)
        throw new ClientError("table_occupied", {
          table: session.names.shown(own),
          kind: relation.kind,
          options: session.placeOptions,
        });
    }
}

async function hasRows({ run, names }: SqlSession, name: string): Promise<boolean> {
  return (await run(`select 1 as n from ${names.of(name)} limit 1`)).length > 0;
}
