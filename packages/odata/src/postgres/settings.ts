/**
 * Statements that a session must run before its first query. Values are returned as text, which the query of the
 * next page reads again; with these settings the text is exact.
 */
export const postgresSettings: readonly string[] = [
  "set timezone to 'UTC'",
  "set datestyle to 'ISO, YMD'",
  "set extra_float_digits to 1",
  "set client_encoding to 'UTF8'",
  "set standard_conforming_strings to on",
];
