import { identifier, sql } from "@cadastre/odata";
import type { ByIndex } from "../read/versions.ts";

/** Forces an index, because SQLite estimates that any range matches a quarter of the table. */
export const indexedBy: ByIndex = (table, index) => sql`${table} indexed by ${identifier(index)}`;
