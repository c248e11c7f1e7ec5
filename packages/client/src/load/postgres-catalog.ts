import type { Relation } from "./relation.ts";
import { markPrefix, type SqlSession } from "./session.ts";

/** Kinds of relations by `pg_class.relkind`. */
const kinds: Readonly<Record<string, string>> = {
  r: "table",
  v: "view",
  m: "materialized view",
  p: "partitioned table",
  f: "foreign table",
  i: "index",
  I: "partitioned index",
  S: "sequence",
  c: "composite type",
};

const statement = `select relation.relkind as kind,
  exists (select from pg_inherits
    where inhrelid = relation.oid or (inhparent = relation.oid and relation.relkind <> 'p')) as "isInherited",
  row_security_active(relation.oid) as "isGuarded",
  array(select attname::text from pg_attribute
    where attrelid = relation.oid and attnum > 0 and not attisdropped) as columns,
  array(select attname::text from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
    where indrelid = relation.oid and indisprimary) as "primaryKey",
  array(select relname::text from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = relation.oid and starts_with(relname, '${markPrefix}')) as marks,
  array(select conrelid::regclass::text from pg_constraint
    where confrelid = relation.oid and conrelid <> relation.oid and contype = 'f'
      and (confdeltype <> 'a' or not condeferred)) as dependents
  from pg_class relation join pg_namespace on pg_namespace.oid = relation.relnamespace
  where relation.relname = ? and nspname = ?`;

/** Looks up a name in a schema. A table with children or row-level security gets a kind of its own: a load could not see all its rows. */
export async function postgresRelation(
  run: SqlSession["run"],
  schema: string,
  name: string,
): Promise<Relation | undefined> {
  const [found] = await run(statement, [name, schema]);
  if (found === undefined) return undefined;
  const { kind, isInherited, isGuarded, ...lists } = found;
  const words = kinds[String(kind)] ?? "relation";
  const facts = lists as Omit<Relation, "kind">;
  if (isInherited === true) return { ...facts, kind: `${words} with inheritance` };
  if (isGuarded === true) return { ...facts, kind: `${words} with row-level security` };
  return { ...facts, kind: words };
}

/**
 * Returns the schema of a copy: the named one, which is created if it does not exist; else the one where the search path finds the
 * ledger of an earlier load; else the first one of the search path.
 */
export async function postgresSchema(
  run: SqlSession["run"],
  named: string | undefined,
  ledger: string,
): Promise<string | undefined> {
  if (named !== undefined) {
    // `create schema if not exists` needs the right to create a schema even if it exists.
    const known = await run("select from pg_namespace where nspname = ?", [named]);
    if (known.length === 0) await run(`create schema "${named}"`);
    return named;
  }
  const [found] = await run(
    `select coalesce((select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where pg_class.oid = to_regclass(?)), current_schema())::text as schema`,
    [ledger],
  );
  const schema = found?.["schema"];
  return typeof schema === "string" ? schema : undefined;
}
