import type { DataFolder } from "./data-folder.ts";
import type { Databases } from "./database-engine.ts";
import { postgresDatabases } from "./postgres-databases.ts";
import { sqliteDatabases } from "./sqlite-databases.ts";

/** Returns the databases of a folder: its two files, or the PostgreSQL database that it names. */
export const databasesOf = (folder: DataFolder): Databases =>
  folder.postgres === undefined ? sqliteDatabases(folder) : postgresDatabases(folder.postgres);
