// Exports what `prepare` has made: node … export.ts <folder> <format> <folder for the parts>
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { datasetStart, type PartStart } from "../src/build/part-text.ts";
import { builtInProfiles, entitySetReader, storeSource, type WrittenPart, writePart } from "../src/index.ts";
import { storeFile } from "./prepare.ts";
import { listings, scope, stored } from "./rows.ts";

const [folder = "", format = "", out = ""] = process.argv.slice(2);
const store = await openSqliteStore({
  file: storeFile(folder),
  resources: [stored],
  threads: 1,
  timeout: 60_000,
});
const source = storeSource(store, { listing: entitySetReader(store, listings) });
const profile = builtInProfiles.find(({ id }) => id === `listing-${format}`);
if (profile === undefined) throw new Error(`there is no format ${format}`);
const columns = source.columns("listing", scope) ?? [];
const request = {
  source,
  profile,
  dataset: "listing",
  keyField: "ListingKey",
  scope,
  columns,
  checkpoint: await source.checkpoint(),
};
let start: PartStart | null = datasetStart;
for (let nth = 0; start !== null; nth++) {
  const part: WrittenPart | undefined = await writePart({ ...request, start }, join(out, `part-${nth}`));
  start = part?.end ?? null;
}
await store.close();
// The process that wrote Parquet ends when it is idle for 5 s. Only then is its CPU time counted as that of a child.
if (format === "parquet") await setTimeout(6000);
