import { type CaseMapping, foldCaseMapping, lowerCaseMapping, upperCaseMapping } from "./case-mapping.ts";
import { collectionHelpers } from "./postgres-collection-helpers.ts";
import { doubleHelpers } from "./postgres-double-helpers.ts";
import { geoHelpers } from "./postgres-geo-helpers.ts";
import { itemHelpers } from "./postgres-item-helpers.ts";
import { numberHelpers } from "./postgres-number-helpers.ts";
import { patternHelper } from "./postgres-pattern-helper.ts";
import { polygonHelpers } from "./postgres-polygon-helpers.ts";
import { printHelpers } from "./postgres-print-helpers.ts";
import { readHelpers } from "./postgres-read-helpers.ts";
import { searchHelpers } from "./postgres-search-helpers.ts";
import { temporalHelpers } from "./postgres-temporal-helpers.ts";

const header = "immutable strict parallel safe";

/**
 * Declares a case mapping with the bundled table. `translate` compares each character with the whole table, so it
 * is called only once for each distinct character beyond ASCII.
 */
function caseMapping(name: string, ascii: "lower" | "upper", mapping: CaseMapping): string {
  const text = (codes: Iterable<number>) => String.fromCodePoint(...codes);
  const mapped = `${ascii}($1 collate "C")`;
  return `
create or replace function ${name}(text) returns text language sql ${header} as $$
  select case when octet_length($1) = char_length($1) then ${mapped} else (
    select translate(${mapped}, others, translate(others, '${text(mapping.keys())}', '${text(mapping.values())}'))
    from (
      select coalesce(string_agg(distinct one collate "C", ''), '') as others
      from string_to_table(regexp_replace($1 collate "C", '[\\u0001-\\u007f]+', '', 'g'), null) as one
    ) as beyond) end
$$`;
}

const substring = `
create or replace function cadastre_substring(text, bigint) returns text language sql ${header} as $$
  select substr($1, (1 + case when $2 >= 0 then least($2, char_length($1))
    else greatest(char_length($1) + greatest($2, -2147483648), 0) end)::int)
$$`;

const substringOfLength = `
create or replace function cadastre_substring(text, bigint, bigint) returns text language sql ${header} as $$
  select case when $3 >= 0 then left(cadastre_substring($1, $2), least($3, 2147483647)::int) end
$$`;

const round = `
create or replace function cadastre_round(float8) returns float8 language sql ${header} as $$
  select 0.0::float8 + case when abs($1 - trunc($1)) >= 0.5 then trunc($1) + sign($1) else trunc($1) end
$$`;

/** Converts PostgreSQL's years to OData's: the year before 1 is 0 in OData, and 1 BC (-1) in PostgreSQL. */
const year = `
create or replace function cadastre_year(date) returns bigint language sql ${header} as $$
  select case when isfinite($1)
    then (extract(year from $1) + case when extract(year from $1) < 0 then 1 else 0 end)::bigint end
$$`;

/**
 * Returns the `create function` statements, in order, of the functions that compiled queries call. They belong in a
 * schema of the search path; running them again is harmless. The database encoding must be UTF-8.
 */
export const postgresHelpers = (): readonly string[] => [
  substring,
  substringOfLength,
  round,
  year,
  caseMapping("cadastre_tolower", "lower", lowerCaseMapping()),
  caseMapping("cadastre_toupper", "upper", upperCaseMapping()),
  caseMapping("cadastre_foldcase", "lower", foldCaseMapping()),
  ...searchHelpers(),
  patternHelper,
  ...collectionHelpers,
  ...geoHelpers,
  ...polygonHelpers,
  ...numberHelpers,
  ...doubleHelpers,
  ...temporalHelpers,
  ...readHelpers,
  ...printHelpers,
  ...itemHelpers,
];
