import { ClientError } from "../errors.ts";
import type { SqlSession } from "../load/session.ts";
import { asTargetError } from "../load/sql-target.ts";
import { parsePosition, type Replica, type ReplicaPage, type ReplicaProgress } from "./replica.ts";

/**
 * Tables beside those of the entity sets. `ledger`: how far each copy has come; if it does not list an entity set, a table of that name belongs
 * to someone else. `keys`: keys of the records that a walk has met, until it ends.
 */
export const replicaTables = { ledger: "cadastre_replicas", keys: "cadastre_replica_keys" } as const;

/** Columns of the tables, sorted. */
const columns = {
  ledger: "modified,position,resource",
  /** Of an earlier release. */
  earlierLedger: "modified,resource",
  keys: "key,resource",
  records: "key,modified,record",
} as const;

/** Number of keys in one statement. */
const keysAtOnce = 500;

/** Returns a replica with one table of keys and JSON for each entity set. */
export function sqlReplica(session: SqlSession, json: "text" | "jsonb"): Replica {
  const { run, names } = session;
  /** Positions that this replica has read or written, as text, by entity set. */
  const known = new Map<string, string | undefined>();
  const own = <T>(work: () => Promise<T>): Promise<T> => asTargetError(session.title, work);
  return {
    state: (resource) =>
      own(async () => {
        await requireOwnReplica(session, resource);
        const entry = await entryOf(session, resource);
        known.set(resource, entry?.position);
        if (entry === undefined) return undefined;
        const isLost = (await session.relation(resource)) === undefined;
        const { modified, position } = entry;
        return { modified: modified || null, position: isLost ? null : parsePosition(position), isLost };
      }),
    apply: (resource, page) =>
      own(async () => {
        const position = JSON.stringify(page.position);
        await session.begin();
        try {
          await requireOwnReplica(session, resource);
          const entry = await entryOf(session, resource);
          if (entry?.position !== known.get(resource)) throw new ClientError("replica_in_use");
          await prepareTables(session, resource, json);
          await write(session, resource, page);
          const removed = await removeOthers(session, resource, page);
          const modified = lastModifiedOf(page) ?? entry?.modified ?? "";
          await run(
            `insert into ${names.of(replicaTables.ledger)} (resource, modified, position) values (?, ?, ?)
             on conflict (resource) do update set modified = excluded.modified, position = excluded.position`,
            [resource, modified, position],
          );
          await run("commit");
          known.set(resource, position);
          return removed;
        } catch (error) {
          await run("rollback").catch(() => {});
          throw error;
        }
      }),
    close: session.close,
  };
}

type Entry = { readonly modified: string; readonly position: string | undefined };

async function entryOf(session: SqlSession, resource: string): Promise<Entry | undefined> {
  const { run, names } = session;
  const ledger = await session.relation(replicaTables.ledger);
  if (ledger === undefined) return undefined;
  const list = ledger.columns.includes("position") ? "modified, position" : "modified";
  const [row] = await run(`select ${list} from ${names.of(replicaTables.ledger)} where resource = ?`, [
    resource,
  ]);
  if (row === undefined) return undefined;
  const { modified, position } = row;
  return { modified: String(modified), position: typeof position === "string" ? position : undefined };
}

/** Returns the `ModificationTimestamp` of the last record of a page. */
export function lastModifiedOf({
  changes,
}: Pick<ReplicaPage, "changes">): ReplicaProgress["modified"] | undefined {
  for (const change of changes.toReversed()) if ("modified" in change) return change.modified;
  return undefined;
}

/** Creates the tables that do not exist yet. */
async function prepareTables(session: SqlSession, resource: string, json: string): Promise<void> {
  const { run, names } = session;
  const ledger = await session.relation(replicaTables.ledger);
  if (ledger === undefined)
    await run(
      `create table ${names.of(replicaTables.ledger)} (resource text primary key, modified text not null, position text)`,
    );
  else if (!ledger.columns.includes("position"))
    await run(`alter table ${names.of(replicaTables.ledger)} add column position text`);
  if ((await session.relation(replicaTables.keys)) === undefined)
    await run(
      `create table ${names.of(replicaTables.keys)} (resource text, key text, primary key (resource, key))`,
    );
  if ((await session.relation(resource)) === undefined)
    await run(
      `create table ${names.of(resource)} (key text primary key, modified text not null, record ${json} not null)`,
    );
}

/** Writes the records of a page, deletes those that it removes, and notes its keys in a walk that compares them. */
async function write(
  { run, names }: SqlSession,
  resource: string,
  { changes, position, begins = false, keeps }: ReplicaPage,
): Promise<void> {
  const table = names.of(resource);
  if (begins) await forgetKeys({ run, names }, resource);
  for (const change of changes)
    if ("removed" in change) await run(`delete from ${table} where key = ?`, [change.removed]);
    else
      await run(
        `insert into ${table} (key, modified, record) values (?, ?, ?)
         on conflict (key) do update set modified = excluded.modified, record = excluded.record`,
        [change.key, change.modified, change.json],
      );
  if (keeps === "walked" || (position.by === "walk" && position.compares))
    await noteKeys(
      { run, names },
      resource,
      changes.flatMap((change) => ("key" in change ? [change.key] : [])),
    );
}

type Statements = Pick<SqlSession, "run" | "names">;

const forgetKeys = async ({ run, names }: Statements, resource: string): Promise<void> =>
  void (await run(`delete from ${names.of(replicaTables.keys)} where resource = ?`, [resource]));

async function noteKeys(
  { run, names }: Statements,
  resource: string,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const some = keys.slice(from, from + keysAtOnce);
    await run(
      `insert into ${names.of(replicaTables.keys)} (resource, key) values ${some.map(() => "(?, ?)").join()}
       on conflict do nothing`,
      some.flatMap((key) => [resource, key]),
    );
  }
}

/** Deletes the records that a page does not keep, and returns their number. */
async function removeOthers(
  { run, names }: SqlSession,
  resource: string,
  { keeps }: ReplicaPage,
): Promise<number> {
  if (keeps === undefined) return 0;
  if (keeps !== "walked") {
    await forgetKeys({ run, names }, resource);
    await noteKeys({ run, names }, resource, [...keeps]);
  }
  const table = names.of(resource);
  const isOther = `not exists (select 1 from ${names.of(replicaTables.keys)} met where met.resource = ? and met.key = ${table}.key)`;
  const [row] = await run(`select count(*) as n from ${table} where ${isOther}`, [resource]);
  await run(`delete from ${table} where ${isOther}`, [resource]);
  await forgetKeys({ run, names }, resource);
  return Number(row?.["n"]);
}

/** @throws {ClientError} `table_occupied` if the table of the entity set, or one beside it, was not created by this program */
async function requireOwnReplica(session: SqlSession, resource: string): Promise<void> {
  const { names, run, placeOptions: options } = session;
  const occupied = (name: string, kind: string) =>
    new ClientError("table_occupied", { table: names.shown(name), kind, options });
  const sorted = (list: readonly string[] = []) => list.toSorted().join();
  const ledger = await session.relation(replicaTables.ledger);
  const form = sorted(ledger?.columns);
  if (ledger !== undefined && form !== columns.ledger && form !== columns.earlierLedger)
    throw occupied(replicaTables.ledger, ledger.kind);
  // This program creates it in the transaction in which the ledger gets its present form.
  const keys = await session.relation(replicaTables.keys);
  if (keys !== undefined && (form !== columns.ledger || sorted(keys.columns) !== columns.keys))
    throw occupied(replicaTables.keys, keys.kind);
  const relation = await session.relation(resource);
  if (relation === undefined) return;
  // This program creates a table and its entry in the ledger in one transaction.
  const entries =
    ledger === undefined
      ? []
      : await run(`select 1 as n from ${names.of(replicaTables.ledger)} where resource = ?`, [resource]);
  if (entries.length === 0 || sorted(relation.columns) !== columns.records)
    throw occupied(resource, relation.kind);
}
