import { identifier, sql } from "@cadastre/odata";
import type { Session } from "../../database/session.ts";

/**
 * Deletes all rows of a table. It is truncated, which leaves no dead rows to vacuum. While somebody reads it, such as a dump, that
 * would wait for them, and others for it: then the rows are deleted.
 */
export async function emptyTable(session: Session, name: string): Promise<void> {
  const table = identifier(name);
  const [row] = await session.rows(sql`select exists (select 1 from ${table})`);
  if (row?.[0] !== "t") return;
  await session.rows(sql`savepoint "cadastre_truncation"`);
  try {
    await session.rows(sql`lock table ${table} in access exclusive mode nowait`);
    await session.rows(sql`truncate ${table}`);
  } catch (error) {
    if (!isLocked(error)) throw error;
    await session.rows(sql`rollback to savepoint "cadastre_truncation"`);
    await session.rows(sql`delete from ${table}`);
  }
  await session.rows(sql`release savepoint "cadastre_truncation"`);
}

/** SQLSTATE of a lock that is not free. */
const lockNotAvailable = "55P03";

const isLocked = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === lockNotAvailable;
