import type { Knex } from "knex";
import type { Session } from "../database/session.ts";
import type { PointSchema, TableSchema, TextSchema } from "../schema/table.ts";

/** The transaction that migrates a database. While it is open, no other process can migrate the database or commit to it. */
export type SchemaTransaction = {
  readonly knex: Knex.Transaction;
  readonly session: Session;
  readonly createPoints: (table: TableSchema, point: PointSchema) => Promise<void>;
  readonly dropPoints: (name: string) => Promise<void>;
  readonly createTexts: (table: TableSchema, text: TextSchema) => Promise<void>;
  readonly dropTexts: (name: string) => Promise<void>;
  /** Makes trigram indexes possible, or reports why they are not. Undefined if they always are. */
  readonly installTextSearch?: (say: (step: string) => void) => Promise<void>;
  /** Gives the tables that exist their partitions, if they are to have some and have none. Their indexes must be created again then. */
  readonly partition?: () => Promise<boolean>;
  /** Changes the primary key of a table. Undefined if the database cannot: then only that of staged changes has ever changed. */
  readonly changePrimaryKey?: (table: string, columns: readonly string[]) => Promise<void>;
  /** Called before columns of a table are dropped or added, or the table is. */
  readonly beforeColumns?: (table: string) => Promise<void>;
  /** Replaces the database functions that statements call. Undefined if each connection registers its own. */
  readonly installFunctions?: () => Promise<void>;
};
