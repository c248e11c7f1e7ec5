/**
 * Parameters of the server that compiled queries need. Values are returned as text, which the query of the next page reads again; with
 * these parameters the text is exact.
 */
export const postgresParameters: Readonly<Record<string, string>> = {
  timezone: "UTC",
  datestyle: "ISO, YMD",
  extra_float_digits: "1",
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
};

/** Statements that a session must run before its first query, unless its transactions set {@link postgresParameters}. */
export const postgresSettings: readonly string[] = Object.entries(postgresParameters).map(
  ([name, setting]) => `set ${name} to '${setting}'`,
);
