/** The only accepted version of DuckDB: another one may write other bytes. */
export const duckdbVersion = "v1.5.6";
