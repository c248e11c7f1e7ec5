/*
 * Process of the benchmarks that creates a database and exits.
 *
 *   load.js floor|listings|located|dictionary <database> <listings>
 */
import { fillTable } from "./floor-table.ts";
import { recordsOf } from "./records.ts";
import { type ResourceChoice, resources } from "./resources.ts";
import { fillStore } from "./store.ts";

const [choice = "", file = "", count = ""] = process.argv.slice(2);
if (choice === "floor") await fillTable(file, Number(count));
else {
  const name = choice as ResourceChoice;
  await fillStore(file, resources[name], recordsOf(name, Number(count)));
}
