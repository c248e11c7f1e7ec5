import type { Knex } from "knex";

/**
 * Storage parameters of the tables. Vacuum comes after a fiftieth of a large table has changed, not a fifth, so that counts can keep to
 * the indexes. An update of a record always changes an indexed column, its beginning, so free space in the pages of records would not
 * spare index entries (HOT); that of counters and cursors does.
 */
const storage = {
  // Records of up to 8 kB are stored in the row, uncompressed: reading them from TOAST costs more than the space.
  records:
    "toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02",
  counters: "fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200",
} as const;

/** Bookkeeping tables whose rows are updated in columns without an index. */
const counters = [
  "cadastre_coverage",
  "cadastre_coverage_atom",
  "cadastre_digest",
  "cadastre_note",
  "cadastre_source",
];

/** Sets the storage parameters of tables of records. A table with partitions has none: its partitions have. */
export async function setStorage(knex: Knex, records: readonly string[]): Promise<void> {
  for (const table of records) await knex.raw(`alter table ?? set (${storage.records})`, [table]);
}

/** Sets the storage parameters of the bookkeeping tables. */
export async function setCounterStorage(knex: Knex): Promise<void> {
  for (const table of counters) await knex.raw(`alter table ?? set (${storage.counters})`, [table]);
}
