import { columnValues } from "../src/read/columns.ts";
import { encodeRecord } from "../src/record/encode.ts";
import { numberMembers } from "../src/record/members.ts";
import { tableOf } from "../src/schema/table.ts";
import { formOf } from "../src/sqlite/columns.ts";
import { versionOf } from "../src/write/version.ts";
import { recordsOf, resource } from "./listings.ts";

const records = recordsOf(20000);
const { members } = numberMembers(resource.entitySet.type, []);
const table = tableOf(resource);
for (let k = 0; k < 4; k++) {
  let t = performance.now();
  for (const r of records) versionOf(r, table, members, formOf);
  const a = performance.now() - t;
  t = performance.now();
  for (const r of records) encodeRecord(r.record, members);
  const b = performance.now() - t;
  t = performance.now();
  for (const r of records) columnValues(table.columns, (n) => r.record[n], formOf);
  const c = performance.now() - t;
  t = performance.now();
  for (const r of records) JSON.stringify(r.record);
  console.log(
    "version",
    a / 20,
    "encode",
    b / 20,
    "columns",
    c / 20,
    "stringify",
    (performance.now() - t) / 20,
    "µs",
  );
}
