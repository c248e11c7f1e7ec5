import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { registerFunctions } from "@cadastre/odata/sqlite";
import { registerChecksum } from "@cadastre/store/testing";
import Database from "better-sqlite3";
import { type DataFolder, openDataFolder } from "../../src/data/data-folder.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Releases with a stored data folder, see `make-release.ts`. */
export const releases = await readdir(fixtures);

/** Unpacks the data folder that a release has written. */
export async function unpackRelease(release: string): Promise<DataFolder> {
  const from = join(fixtures, release);
  const path = await mkdtemp(join(tmpdir(), "cadastre-release-"));
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const packed = join(entry.parentPath, entry.name);
    const file = join(path, relative(from, packed).replace(/\.br$/, ""));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, brotliDecompressSync(await readFile(packed)));
  }
  return openDataFolder(path);
}

/** Copies a folder. */
export async function copyFolder({ path }: DataFolder): Promise<DataFolder> {
  const copy = await mkdtemp(join(tmpdir(), "cadastre-release-"));
  await cp(path, copy, { recursive: true });
  return openDataFolder(copy);
}

export const removeFolder = ({ path }: DataFolder): Promise<void> => rm(path, { recursive: true });

/** Tables that describe the schema and change with it. */
const ofSchema =
  /^cadastre_(registry_)?migration|^cadastre_(schema|checksum)$|^cadastre_note$|^sqlite_|_place(_|$)/;

type Columns = Readonly<Record<string, readonly string[]>>;

/** Returns the columns of each table that holds stored data. */
export function columnsOf(file: string): Columns {
  return reading(file, (database) => {
    const tables = database
      .prepare(`select name from sqlite_schema where type = 'table'`)
      .pluck()
      .all() as string[];
    const named = tables.filter((name) => !ofSchema.test(name));
    return Object.fromEntries(
      named.map((name) => [
        name,
        database.prepare("select name from pragma_table_info(?)").pluck().all(name) as string[],
      ]),
    );
  });
}

/** Returns the values of the given columns of every row, as sorted texts. */
export function contentOf(file: string, columns: Columns): Readonly<Record<string, readonly string[]>> {
  return reading(file, (database) =>
    Object.fromEntries(
      Object.entries(columns).map(([table, names]) => {
        const list = names.map((name) => `"${name}"`).join(", ");
        const rows = database
          .prepare(`select ${list} from "${table}"`)
          .raw()
          .safeIntegers()
          .all() as unknown[][];
        return [table, rows.map((row) => row.map(String).join("\0")).toSorted()];
      }),
    ),
  );
}

/** Opens a database file for `work` and closes it afterwards. */
export function reading<T>(file: string, work: (database: Database.Database) => T): T {
  const database = new Database(file);
  registerFunctions(database);
  registerChecksum(database);
  try {
    return work(database);
  } finally {
    database.close();
  }
}
