import { ManifestError } from "@cadastre/manifest";
import { partsOf } from "../content/columns.ts";
import { ClientError } from "../errors.ts";
import { type LedgerEntry, standingAmong, streamOf } from "./ledger.ts";
import { quoted, type SqlSession, type Table } from "./session.ts";
import type { LoadableDelivery, Standing, Target } from "./target.ts";

/** Holds what was loaded, in the database that it was loaded into. */
const ledger = `create table if not exists cadastre_loads (
  stream text not null,
  generation bigint not null,
  sequence bigint not null,
  manifest_sha256 text not null,
  manifest text not null,
  loaded_at text not null,
  primary key (stream, generation, sequence)
)`;

/** A database with a table for each dataset. A snapshot takes the place of what is in its tables, in one transaction. */
export function sqlTarget(session: SqlSession): Target {
  const standing = async ({ manifest, sha256 }: Pick<LoadableDelivery, "manifest" | "sha256">) => {
    if (manifest.kind === "delta") throw new ClientError("kind_not_loadable", { kind: manifest.kind });
    const rows = await session.run(
      "select generation, sequence, manifest_sha256, manifest from cadastre_loads where stream = ?",
      [streamOf(manifest)],
    );
    const entries = rows.map(
      (row): LedgerEntry => ({
        generation: Number(row["generation"]),
        sequence: Number(row["sequence"]),
        sha256: String(row["manifest_sha256"]),
        manifest: String(row["manifest"]),
      }),
    );
    return standingAmong({ manifest, sha256 }, entries);
  };
  /** Work with the ledger while nobody else does. */
  const alone = (work: () => Promise<Standing>): Promise<Standing> =>
    told(async () => {
      await session.begin();
      try {
        await session.run(ledger);
        const result = await work();
        await session.run("commit");
        return result;
      } catch (error) {
        // The fault to tell is the first one.
        await session.run("rollback").catch(() => {});
        throw error;
      }
    });
  return {
    staging: undefined,
    standing: (delivery) => alone(() => standing(delivery)),
    load: (delivery) =>
      alone(async () => {
        const before = await standing(delivery);
        if (before === "new") await fill(session, delivery);
        return before;
      }),
    close: () => session.close(),
  };
}

async function fill(session: SqlSession, { manifest, bytes, sha256, folder, datasets }: LoadableDelivery) {
  await session.run("insert into cadastre_loads values (?, ?, ?, ?, ?, ?)", [
    streamOf(manifest),
    manifest.generation,
    manifest.sequence,
    sha256,
    new TextDecoder().decode(bytes),
    new Date().toISOString(),
  ]);
  for (const { name, keyField, rowCount } of manifest.datasets) {
    const table: Table = { name, keyField, columns: datasets.get(name) ?? new Map([[keyField, "text"]]) };
    await session.empty(table);
    for (const part of partsOf(manifest, name, folder)) await session.insert(table, part);
    const [count] = await session.run(`select count(*) as n from ${quoted(name)}`);
    if (Number(count?.["n"]) !== rowCount)
      throw new ClientError("part_count_differs", { part: `of ${name}`, rows: String(count?.["n"]) });
  }
}

/** What a database refuses is told in its words, which are the consumer's own. */
async function told(work: () => Promise<Standing>): Promise<Standing> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientError || error instanceof ManifestError || !(error instanceof Error))
      throw error;
    const code = "code" in error ? { code: String(error.code) } : {};
    const [reason = ""] = error.message.split("\n");
    throw new ClientError("target_failed", { reason, ...code });
  }
}
