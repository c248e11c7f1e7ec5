// Program that stages and publishes, and kills itself at a given point. Arguments as JSON: the location of the store, and the
// fault.
import { openPostgresStore } from "../../src/postgres/index.ts";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import { stored } from "./listings.ts";
import { batchesOf, type Fault, run } from "./staged-run.ts";

type Place = { readonly file?: string; readonly connection?: string };

const [place, fault] = process.argv.slice(2, 4).map((text): unknown => JSON.parse(text)) as [Place, Fault];
const resources = [stored];
const store =
  place.file === undefined
    ? await openPostgresStore({ connection: place.connection ?? "", schema: "faults", resources })
    : await openSqliteStore({ file: place.file, resources, threads: 0 });
await run(store, batchesOf(), fault);
await store.close();
