import { rowCountOf } from "./fill.ts";
import { isMarked } from "./ownership.ts";
import type { SqlSession } from "./session.ts";
import { forget, readTables } from "./sql-ledger.ts";
import type { PurgedData } from "./target.ts";

/**
 * Deletes the rows of a subscription's copy from its tables, and its entries in the ledger. The tables stay, and so does what the user has
 * made of a table that is no longer the copy's.
 */
export async function purgeTables(session: SqlSession, subscription: string): Promise<PurgedData> {
  const deleted: PurgedData["deleted"][number][] = [];
  const left: string[] = [];
  for (const [name, listed] of await readTables(session)) {
    if (listed.stream !== subscription) continue;
    const relation = await session.relation(name);
    if (relation === undefined) continue;
    const shown = session.names.shown(name);
    if (isMarked(relation, listed)) {
      await session.lock([name]);
      const rows = await rowCountOf(session, session.names.of(name));
      await session.erase(name);
      deleted.push({ name: shown, rows });
    } else left.push(shown);
  }
  await forget(session, subscription);
  return { deleted, left };
}
