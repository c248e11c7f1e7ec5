import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { staged } from "./fill.ts";
import { streamOf } from "./ledger.ts";
import type { Relation } from "./relation.ts";
import type { SqlSession } from "./session.ts";
import { type LedgerTable, type LedgerTables, readTables } from "./sql-ledger.ts";

/** A table that a load would write, and its key if the manifest is known already. */
type Wanted = { readonly name: string; readonly keyField?: string };

/**
 * Requires that every table that a load would write is new, was filled by this program before, or is an empty ordinary table that
 * the user created for it, with the dataset's key as its primary key.
 *
 * @returns the names of the tables that exist
 * @throws {ClientError} `table_occupied`, `table_referenced`, `table_foreign`
 */
export async function requireOwnTables(session: SqlSession, manifest: Manifest): Promise<readonly string[]> {
  const isDelta = manifest.kind === "delta";
  const known = await readTables(session);
  const stream = streamOf(manifest);
  const foreign = manifest.datasets.find(({ name }) => known.get(name)?.stream !== stream);
  if (isDelta && foreign !== undefined) throw new ClientError("table_foreign", { table: foreign.name });
  const existing = await requireFree(session, manifest.datasets, known);
  const missing = manifest.datasets.find(({ name }) => !existing.includes(name));
  if (isDelta && missing !== undefined) throw new ClientError("table_foreign", { table: missing.name });
  if (isDelta) {
    for (const { name } of manifest.datasets)
      if (!isMarked(await session.relation(name), known.get(name)))
        throw new ClientError("table_foreign", { table: name });
    await requireStagingFree(session);
  }
  const dropped = [...known].filter(
    ([name, of]) =>
      of.stream === stream && !isDelta && !manifest.datasets.some((dataset) => dataset.name === name),
  );
  const emptied = await requireFree(
    session,
    dropped.map(([name]) => ({ name })),
    known,
  );
  return [...existing, ...emptied];
}

/** As {@link requireOwnTables}, before there is a manifest. @returns the names of the tables that exist */
export async function requireFree(
  session: SqlSession,
  wanted: readonly Wanted[],
  known: LedgerTables,
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
    if (!isMarked(relation, listed)) {
      if (await hasRows(session, name)) throw occupied("table with rows");
      if (session.replacesTables) throw occupied("table");
      if (keyField !== undefined && relation.primaryKey.join() !== keyField)
        throw occupied(`table without the primary key ${keyField}`);
      // The name of the key is not known yet, but every dataset has one key field.
      if (relation.primaryKey.length !== 1) throw occupied("table without a primary key of one column");
    }
    const [dependent] = relation.changedByDelete;
    if (dependent !== undefined) throw new ClientError("table_referenced", { table, dependent, options });
    existing.push(name);
  }
  return existing;
}

/** True if a table is the one that the ledger lists. The user may have dropped that one and created another one of its name. */
const isMarked = (relation: Relation | undefined, listed: LedgerTable | undefined): boolean =>
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
