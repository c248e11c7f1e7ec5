import { copyFile, link, lstat, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ManifestDataset } from "@cadastre/manifest";
import { partsOf } from "../content/columns.ts";
import { isText } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import { syncFolder } from "../fetch/disk.ts";
import { rowCountOf, staged } from "./fill.ts";
import type { LakeTable } from "./lake-ledger.ts";
import { quoteIdentifier, quoteSqlText, type SqlSession, type Table } from "./session.ts";
import type { LoadableDelivery } from "./target.ts";
import { typedTable } from "./typed-table.ts";

/** Column by whose values a table has folders. It is in the path, and not in the files. */
const partitionColumn = "OriginatingSystemName";

/** Folder of rows without a value, as Hive names it. */
const nullPartition = `${partitionColumn}=__HIVE_DEFAULT_PARTITION__`;

/** A dataset of a delivery that is written as Parquet. */
type Writing = {
  readonly session: SqlSession;
  readonly delivery: LoadableDelivery;
  readonly dataset: ManifestDataset;
  /** Folder of the version that is being written. */
  readonly to: string;
};

/** A table of the version before. */
type Before = { readonly folder: string; readonly table: LakeTable };

/** Returns the tables that hold a dataset's rows and removals of a delivery, loaded. */
async function stage({
  session,
  delivery,
  dataset,
}: Writing): Promise<{ readonly rows: Table; readonly isPartitioned: boolean }> {
  const { manifest, folder, datasets, schema } = delivery;
  const { name, keyField } = dataset;
  const columns = isText(manifest.profile.format) ? datasets.get(name) : undefined;
  const table = await typedTable(session, dataset, { columns, schema: schema?.get(name), isReplaced: true });
  if (table.types === undefined) throw new ClientError("schema_missing", { dataset: name });
  const rows = { ...table, name: staged.rows };
  const keyOnly = new Map([...table.columns].filter(([column]) => column === keyField));
  const removals = { ...table, name: staged.removals, columns: keyOnly };
  await session.empty(rows);
  await session.empty(removals);
  for (const part of partsOf(manifest, name, folder))
    await session.insert(part.part.content === "rows" ? rows : removals, part);
  for (const [own, wanted] of [
    [rows, dataset.rowCount],
    [removals, dataset.removalCount],
  ] as const) {
    const found = await rowCountOf(session, session.names.of(own.name));
    if (found !== wanted)
      throw new ClientError("part_count_differs", { part: `of ${name}`, rows: String(found) });
  }
  return { rows, isPartitioned: table.types.get(partitionColumn) === "varchar" };
}

/** Writes the rows of a snapshot or a seed. Returns the files, relative to the folder of the version. */
export async function writeRows(writing: Writing): Promise<LakeTable["files"]> {
  const { rows, isPartitioned } = await stage(writing);
  return copyOut(writing, {
    query: `select * from ${writing.session.names.of(rows.name)}`,
    rows,
    isPartitioned,
  });
}

/** Writes a table with the changes of a delta. Partitions without a change are the files of the version before. */
export async function writeChanges(
  writing: Writing,
  { folder, table }: Before,
): Promise<Pick<LakeTable, "files" | "rows">> {
  const { session, dataset, to } = writing;
  const { run, names } = session;
  const { rows, isPartitioned } = await stage(writing);
  const [added, removed] = [names.of(staged.rows), names.of(staged.removals)];
  const key = quoteIdentifier(dataset.keyField);
  const system = isPartitioned ? quoteIdentifier(partitionColumn) : "null";
  const files = table.files.map(({ name }) => quoteSqlText(join(folder, name))).join(", ");
  const hive = isPartitioned
    ? `, hive_partitioning = true, hive_types = {${quoteSqlText(partitionColumn)}: varchar}`
    : ", hive_partitioning = false";
  const before = `read_parquet([${files}], filename = true${hive})`;
  const changed = `select ${key} from ${added} union all select ${key} from ${removed}`;
  if ((await rowCountOf(session, `${removed} where ${key} in (select ${key} from ${added})`)) > 0)
    throw new ClientError("removal_contradicted", { dataset: dataset.name });
  if (
    (await rowCountOf(session, `${before} where ${key} in (select ${key} from ${removed})`)) !==
    dataset.removalCount
  )
    throw new ClientError("copy_differs", { table: dataset.name });
  await run(`create or replace table touched as
    select distinct ${system} as system from (select ${isPartitioned ? system : key} from ${before} where ${key} in (${changed})
      union all select ${isPartitioned ? system : key} from ${added})`);
  const isTouched = `exists (select 1 from touched where touched.system is not distinct from ${system})`;
  const found = await run(`select distinct filename from ${before} where not (${isTouched})`);
  const unchanged = new Set(found.map(({ filename }) => relative(folder, String(filename))));
  // A file without rows is in no partition of the query.
  const linked = table.files.filter(({ name }) => unchanged.has(name));
  for (const { name } of linked) await linkFile(join(folder, name), join(to, name));
  const list = [...rows.columns.keys()].map(quoteIdentifier).join(", ");
  const query = `select ${list} from ${before} where ${isTouched} and ${key} not in (${changed})
    union all select ${list} from ${added}`;
  const replaced = await rowCountOf(session, `${before} where ${key} in (select ${key} from ${added})`);
  const count = table.rows - dataset.removalCount - replaced + dataset.rowCount;
  return { files: await copyOut(writing, { query, rows, isPartitioned }), rows: count };
}

/** Writes a query's rows into the folder of a dataset. Returns all files of the folder. */
async function copyOut(
  { session, dataset, to }: Writing,
  {
    query,
    rows,
    isPartitioned,
  }: { readonly query: string; readonly rows: Table; readonly isPartitioned: boolean },
): Promise<LakeTable["files"]> {
  const folder = join(to, dataset.name);
  await mkdir(folder, { recursive: true });
  const options = "format parquet, compression zstd";
  if (isPartitioned)
    await session.run(`copy (${query}) to ${quoteSqlText(folder)}
      (${options}, partition_by (${quoteIdentifier(partitionColumn)}), overwrite_or_ignore true)`);
  else await session.run(`copy (${query}) to ${quoteSqlText(join(folder, "data_0.parquet"))} (${options})`);
  if ((await filesIn(to, dataset.name)).length === 0) {
    // Readers find the columns of a table without rows as well.
    const empty = join(folder, nullPartition);
    await mkdir(empty);
    const list = [...rows.columns.keys()].filter((name) => name !== partitionColumn).map(quoteIdentifier);
    await session.run(`copy (select ${list.join(", ")} from ${session.names.of(rows.name)} limit 0)
      to ${quoteSqlText(join(empty, "data_0.parquet"))} (${options})`);
  }
  for (const name of Object.values(staged)) await session.run(`drop table ${session.names.of(name)}`);
  return filesIn(to, dataset.name);
}

/** Links the files of a table into another version. */
export async function linkTable({ folder, table }: Before, to: string): Promise<void> {
  for (const { name } of table.files) await linkFile(join(folder, name), join(to, name));
}

async function linkFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // Some file systems have no hard links.
  await link(from, to).catch(() => copyFile(from, to));
}

async function filesIn(root: string, folder: string): Promise<LakeTable["files"]> {
  const files: LakeTable["files"] = [];
  for (const child of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = `${folder}/${child.name}`;
    if (child.isDirectory()) files.push(...(await filesIn(root, name)));
    else files.push({ name, byteLength: (await lstat(join(root, name))).size });
  }
  return files;
}

/** Flushes all files and folders below a folder. */
export async function syncAll(folder: string): Promise<void> {
  for (const child of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, child.name);
    if (child.isDirectory()) await syncAll(path);
    else {
      const handle = await open(path, "r");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  }
  await syncFolder(folder);
}
