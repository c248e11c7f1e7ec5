import { datasetProperty } from "@cadastre/entitlement";
import { identifier, postgres, type SqlFragment, sql, trigramText } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import type { Session } from "../database/session.ts";
import type { TableSchema, TextSchema } from "../schema/table.ts";

/** Extensions of PostgreSQL with the operator classes of trigram indexes. Whoever may create objects in the database may create them. */
const extensions = ["pg_trgm", "btree_gin"] as const;

const textOf = (fragment: SqlFragment): string => render(fragment, postgres.placeholder).text;

const selectInstalled = sql`select extname from pg_catalog.pg_extension where extname in (${join(extensions.map(value), ", ")})`;

/** True if the database lacks an extension that trigram indexes need. */
export const lacksTextSearch = async (session: Session): Promise<boolean> =>
  (await session.rows(selectInstalled)).length < extensions.length;

/** Creates the missing extensions. If that fails, says why: the store then works without trigram indexes. */
export async function installTextSearch(
  transaction: Knex.Transaction,
  session: Session,
  say: (step: string) => void,
): Promise<void> {
  if (!(await lacksTextSearch(session))) return;
  // Stores in other schemas of the database may create them at the same time.
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended('cadastre extensions', 0))");
  try {
    await transaction.transaction(async (attempt) => {
      for (const extension of extensions)
        await attempt.raw("create extension if not exists ?? with schema public", [extension]);
    });
  } catch (error) {
    const statements = extensions.map((extension) => `create extension ${extension};`).join(" ");
    const reason = error instanceof Error ? error.message.replace(/^.* - /s, "") : String(error);
    say(
      `contains, startswith and endswith will read all texts, because an index for them cannot be made (${reason}): run \`${statements}\` in the database as its owner, then migrate again`,
    );
  }
}

/** Creates the trigram index of a column of texts, with the texts of each dataset apart. */
export async function createTextIndex(
  transaction: Knex.Transaction,
  session: Session,
  { name: table }: TableSchema,
  { name, column }: TextSchema,
): Promise<void> {
  const [found] = await session.rows(
    sql`select nspname from pg_catalog.pg_opclass join pg_catalog.pg_namespace on pg_namespace.oid = opcnamespace where opcname = 'gin_trgm_ops'`,
  );
  const grams = sql`${identifier(String(found?.[0]))}.gin_trgm_ops`;
  const columns = sql`${identifier(datasetProperty.name)}, ${trigramText(identifier(column.name))} ${grams}`;
  // Entries are added to the index a megabyte at a time, which takes a tenth of the time; until then every search reads them one by one.
  await transaction.raw(
    textOf(
      sql`create index ${identifier(name)} on ${identifier(table)} using gin (${columns}) with (gin_pending_list_limit = 1024)`,
    ),
  );
  // Without statistics the planner takes every word for a rare one. Those of an empty table would be wrong from the first row on.
  const [row] = await session.rows(sql`select 1 from ${identifier(table)} limit 1`);
  if (row !== undefined) await transaction.raw("analyze ??", [table]);
}
