// From the query string of a request to its page of listings: parse, bind, compile, run, render.
import { randomBytes } from "node:crypto";
import { bindQuery, parseQueryOptions, postgres, QueryError, readOption } from "@cadastre/odata";
import { knexCompiler } from "@cadastre/odata/knex";
import { nextLink, openSkipToken, sealSkipToken } from "@cadastre/odata/paging";
import type { Knex } from "knex";
import { listings, mapping } from "./property.ts";

const served = ["$filter", "$orderby", "$select", "$top", "$skip", "$count", "$skiptoken"];
const longestPage = 100;
const statements = knexCompiler(postgres, mapping, { order: true });

/** Seals next links. Servers that answer for each other share it. */
const tokenKey = randomBytes(32);
const tokenLife = 3600;

/** The answer to `<root>/Property?<query>`. */
export async function page(db: Knex, root: string, query: string) {
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
  const selected = bound.select.map((projection) => projection.property.name);

  const { rows } = (await statements.page(db, bound)) as Rows;
  const last = rows.length > top ? rows[top - 1] : undefined;
  const after = last && bound.orderBy.map((_, i) => last[`order${i}`]);
  const next = after && sealSkipToken({ after, scope: "", expires: now + tokenLife }, walk, tokenKey);

  const counted = readOption(options, "$count") === true && ((await statements.count(db, bound)) as Rows);
  return {
    "@odata.context": `${root}/$metadata#Property${parts.select ? `(${selected.join()})` : ""}`,
    ...(counted && { "@odata.count": Number(counted.rows[0]?.["count"]) }),
    value: rows.slice(0, top).map((row) => Object.fromEntries(selected.map((name) => [name, row[name]]))),
    ...(next && { "@odata.nextLink": nextLink(`${root}/Property`, query, next) }),
  };
}

type Rows = { readonly rows: readonly Readonly<Record<string, unknown>>[] };
