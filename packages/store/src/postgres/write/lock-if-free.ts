import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import type { Session } from "../../database/session.ts";

/** Locks a table until the transaction ends if that is possible at once. Returns false if it is not: nobody is waited for. */
export async function lockIfFree(session: Session, table: string, mode: SqlFragment): Promise<boolean> {
  await session.rows(sql`savepoint "cadastre_lock"`);
  const isLocked = await session
    .rows(sql`lock table ${identifier(table)} in ${mode} mode nowait`)
    .then(() => true)
    .catch(isNotFree);
  if (!isLocked) await session.rows(sql`rollback to savepoint "cadastre_lock"`);
  await session.rows(sql`release savepoint "cadastre_lock"`);
  return isLocked;
}

/** SQLSTATE of a lock that is not free. */
const lockNotAvailable = "55P03";

function isNotFree(error: unknown): false {
  if (error instanceof Error && "code" in error && error.code === lockNotAvailable) return false;
  throw error;
}
