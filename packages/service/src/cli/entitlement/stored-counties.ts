import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy, parseSelect } from "@cadastre/odata";
import { textLiteral } from "@cadastre/odata/tree";
import type { Catalog } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import { readConfig } from "../../config.ts";
import { configuredFolder } from "../../data/data-folder.ts";
import { databasesOf } from "../../data/databases.ts";
import { systemScope } from "../../identity/system-scope.ts";
import { withServiceStore } from "../data.ts";

/** Most counties that are read of a state. Texas has the most of all states, 254. */
const mostCounties = 500;

/** Returns the counties that the listings of a state have, sorted; none if the service has no listings. */
export async function readCounties(state: string): Promise<readonly string[]> {
  const folder = configuredFolder(readConfig(process.env));
  if (!(await databasesOf(folder).hasListings())) return [];
  return withServiceStore((store) => countiesOf(store, store.catalog, state));
}

/** Reads one listing for each county, by the index on state and county. */
async function countiesOf({ one }: Pick<Store, "one">, catalog: Catalog, state: string) {
  const scope = systemScope(catalog);
  const set = visibleEntitySet(catalog.entitySet("Property"), scope);
  const counties: string[] = [];
  while (counties.length < mostCounties) {
    const last = counties.at(-1);
    const after = last === undefined ? "CountyOrParish ne null" : `CountyOrParish gt ${textLiteral(last)}`;
    const parts = {
      filter: parseFilter(`StateOrProvince eq ${textLiteral(state)} and ${after}`),
      select: parseSelect("CountyOrParish"),
      orderBy: parseOrderBy("CountyOrParish"),
      top: 1,
    };
    const found = await one(restrict(bindQuery(parts, set), scope));
    if (found === undefined) break;
    counties.push((JSON.parse(Buffer.from(found).toString()) as { CountyOrParish: string }).CountyOrParish);
  }
  return counties;
}
