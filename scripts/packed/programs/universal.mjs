// Uses each part of @cadastre/odata that runs in any JavaScript engine, and tells what went wrong. It is bundled, and run by Node and in a
// browser.
import {
  bindFilter,
  bindQuery,
  compilePage,
  matches,
  parseCompute,
  parseExpand,
  parseFilter,
  parseSearch,
  postgres,
  QueryError,
  tableMapping,
} from "@cadastre/odata";
import { bindApply, evaluateApply, parseApply } from "@cadastre/odata/apply";
import { nearestPhases } from "@cadastre/odata/compile";
import { writeCsdlJson, writeCsdlXml } from "@cadastre/odata/csdl";
import { foldCase } from "@cadastre/odata/functions";
import { knexCompiler } from "@cadastre/odata/knex";
import { LruCache } from "@cadastre/odata/lru-cache";
import { postgresHelpers } from "@cadastre/odata/postgres";
import { registerFunctions } from "@cadastre/odata/sqlite";
import { printFilter } from "@cadastre/odata/tree";

const property = (name, type) => ({ name, type, collection: false, nullable: true });
const properties = new Map(
  [property("Id", "Edm.Int64"), property("Town", "Edm.String"), property("Place", "Edm.GeographyPoint")].map(
    (one) => [one.name, one],
  ),
);
const Homes = { name: "Homes", type: { name: "Home", key: ["Id"], properties } };
const row = { Id: 1n, Town: "York", Place: { type: "Point", coordinates: [-1.08, 53.96] } };
const holds = (filter) => matches(bindFilter(parseFilter(filter), Homes), row);

const codeOf = (work) => {
  try {
    work();
  } catch (error) {
    return error instanceof QueryError ? error.code : String(error);
  }
  return "no error";
};

/** Name → what a part returns, and what it should. */
const checks = {
  comparison: () => [holds("Town eq 'York' and Id lt 2"), true],
  grammar: () => [holds("(((Id add 1)) mul 2) eq 4"), true],
  fault: () => [codeOf(() => parseFilter("Town eq 'York")), "syntax_error"],
  pattern: () => [holds("matchesPattern(Town,'^Y.*k$')"), true],
  distance: () => [holds("geo.distance(Place,geography'Point(-1.08 53.97)') lt 1200"), true],
  decimal: () => [holds("Id add 0.1 eq 1.1"), true],
  expand: () => [parseExpand("Rooms($select=Area;$top=2)")[0].path[0], "Rooms"],
  compute: () => [parseCompute("Id add 1 as Next")[0].name, "Next"],
  apply: () => [
    String(evaluateApply(bindApply(parseApply("aggregate(Id with sum as Sum)"), Homes), [row])[0].Sum),
    "1",
  ],
  search: () => [parseSearch('"sea view" NOT pool').kind, "SearchLogical"],
  print: () => [printFilter(parseFilter("Id  eq 1")), "Id eq 1"],
  fold: () => [foldCase("Ångsta"), "ångsta"],
  sql: () => [
    compilePage(
      bindQuery({ filter: parseFilter("Id eq 1"), top: 1 }, Homes),
      postgres,
      tableMapping("home"),
    ).text.slice(0, 6),
    "select",
  ],
  xml: () => [
    writeCsdlXml({ namespace: "A.B", container: "C", entitySets: [Homes] }).includes(
      '<EntitySet Name="Homes"',
    ),
    true,
  ],
  json: () => [
    JSON.parse(writeCsdlJson({ namespace: "A.B", container: "C", entitySets: [Homes] })).$EntityContainer,
    "A.B.C",
  ],
  compile: () => [nearestPhases(bindQuery({ top: 1 }, Homes)) ?? "none", "none"],
  knex: () => [
    knexCompiler(postgres, tableMapping("home")).page(
      { raw: (text) => text.slice(0, 6) },
      bindQuery({ top: 1 }, Homes),
    ),
    "select",
  ],
  postgres: () => [JSON.stringify(postgresHelpers()).includes("cadastre_foldcase"), true],
  sqlite: () => {
    const names = new Set();
    registerFunctions({ function: (name) => names.add(name) });
    return [names.has("odata_foldcase_string"), true];
  },
  cache: () => [new LruCache(1).get("key", () => "value"), "value"],
};

const failures = Object.entries(checks).flatMap(([name, check]) => {
  try {
    const [got, wanted] = check();
    return got === wanted ? [] : [`${name}: ${String(got)} instead of ${String(wanted)}`];
  } catch (error) {
    return [`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
});
const verdict = failures.length === 0 ? `${Object.keys(checks).length} parts work` : failures.join("\n");

if (typeof document === "undefined") console.log(verdict);
else document.body.textContent = verdict;
