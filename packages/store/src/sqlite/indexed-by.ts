import { identifier, sql } from "@cadastre/odata";
import type { ByIndex } from "../read/versions.ts";

/** SQLite takes a range for a quarter of the table, whatever its bounds. */
export const indexedBy: ByIndex = (table, index) => sql`${table} indexed by ${identifier(index)}`;
