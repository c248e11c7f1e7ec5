import { identifier, sql } from "@cadastre/odata";
import type { Session } from "../../database/session.ts";
import { lockIfFree } from "./lock-if-free.ts";

/**
 * Deletes all rows of a table. It is truncated, which leaves no dead rows to vacuum. While somebody reads it, such as a dump, that
 * would wait for them, and others for it: then the rows are deleted.
 */
export async function emptyTable(session: Session, name: string): Promise<void> {
  const table = identifier(name);
  const [row] = await session.rows(sql`select exists (select 1 from ${table})`);
  if (row?.[0] !== "t") return;
  const isLocked = await lockIfFree(session, name, sql`access exclusive`);
  await session.rows(isLocked ? sql`truncate ${table}` : sql`delete from ${table}`);
}
