// From the query string of a request to its page of listings: parse, bind, compile, run, render.
import { randomBytes } from "node:crypto";
import {
  bindQuery,
  cachedCompiler,
  parseQueryOptions,
  QueryError,
  readOption,
  type StructuralProperty,
  sqlite,
} from "@cadastre/odata";
import { nextLink, openSkipToken, sealSkipToken } from "@cadastre/odata/paging";
import type { Database } from "better-sqlite3";
import { listings, mapping } from "./property.ts";

const served = ["$filter", "$orderby", "$select", "$top", "$skip", "$count", "$skiptoken"];
const longestPage = 100;
const statements = cachedCompiler(sqlite, mapping, { order: true });

/** Seals next links. Servers that answer for each other share it. */
const tokenKey = randomBytes(32);
const tokenLife = 3600;

/** The answer to `<root>/Property?<query>`. */
export function page(database: Database, root: string, query: string) {
  const options = parseQueryOptions(query);
  for (const name of options.system.keys()) {
    if (!served.includes(name)) throw new QueryError("not_supported", null, { feature: `\`${name}\`` }, name);
  }

  // A token goes on with the filter and the order that it was sealed for, and no others.
  const walk = JSON.stringify([options.system.get("$filter")?.text, options.system.get("$orderby")?.text]);
  const now = Math.floor(Date.now() / 1000);
  const token = readOption(options, "$skiptoken");
  const top = Math.min(readOption(options, "$top") ?? longestPage, longestPage);
  const parts = {
    filter: readOption(options, "$filter"),
    orderBy: readOption(options, "$orderby"),
    select: readOption(options, "$select"),
    skip: readOption(options, "$skip") ?? 0,
    after: token === undefined ? null : openSkipToken(token, walk, tokenKey, now).after,
    // One more row than the page has tells whether another page follows.
    top: top + 1,
  };
  const bound = bindQuery(parts, listings, ["ModificationTimestamp"]);
  const selected = bound.select.map((projection) => projection.property);

  const { text, values } = statements.page(bound);
  const rows = database.prepare<unknown[], Row>(text).all(...values);
  const last = rows.length > top ? rows[top - 1] : undefined;
  const after = last && bound.orderBy.map((_, i) => last[`order${i}`]);
  const next = after && sealSkipToken({ after, scope: "", expires: now + tokenLife }, walk, tokenKey);

  const names = parts.select && `(${selected.map(({ name }) => name).join()})`;
  const count = readOption(options, "$count") === true && statements.count(bound);
  return {
    "@odata.context": `${root}/$metadata#Property${names ?? ""}`,
    ...(count && {
      "@odata.count": database
        .prepare(count.text)
        .pluck()
        .get(...count.values),
    }),
    value: rows.slice(0, top).map((row) => entityOf(row, selected)),
    ...(next && { "@odata.nextLink": nextLink(`${root}/Property`, query, next) }),
  };
}

type Row = Readonly<Record<string, unknown>>;

const entityOf = (row: Row, selected: readonly StructuralProperty[]) =>
  Object.fromEntries(
    selected.map(({ name, collection }) => [name, collection ? JSON.parse(String(row[name])) : row[name]]),
  );
