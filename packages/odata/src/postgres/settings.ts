/**
 * Statements that a session runs before its first query. Values come back as text that is read again by the query
 * of the next page: in these forms it is exact.
 */
export const postgresSettings: readonly string[] = [
  "set timezone to 'UTC'",
  "set datestyle to 'ISO, YMD'",
  "set extra_float_digits to 1",
  "set client_encoding to 'UTF8'",
  "set standard_conforming_strings to on",
];
