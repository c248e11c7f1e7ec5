import type { DialectName } from "@cadastre/odata/run";
import { postgresCatalog } from "./postgres-catalog.ts";
import { sqliteCatalog } from "./sqlite-catalog.ts";
import type { DatabaseCatalog } from "./table-facts.ts";

/** The catalogs of the databases. */
export const catalogs: Readonly<Record<DialectName, DatabaseCatalog>> = {
  sqlite: sqliteCatalog,
  postgres: postgresCatalog,
};
