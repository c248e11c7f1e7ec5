/** Selects the number of the last commit; 0 before the first. */
export const sqliteLastCheckpoint = `select coalesce(max("checkpoint"), 0) from "cadastre_commit"`;
