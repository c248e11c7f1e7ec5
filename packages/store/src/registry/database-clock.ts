/** SQL of the present time by the clock of a database, in milliseconds since 1970. In PostgreSQL all machines have this clock in common. */
export const databaseClock = {
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
  postgres: "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)",
} as const;
