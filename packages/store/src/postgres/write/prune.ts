import { render } from "@cadastre/odata/run";
import type { Knex } from "knex";
import { earliestNeeded } from "../../build/history.ts";
import { prunedNote, type TableSchema, validity } from "../../schema/table.ts";
import { lockCommits, readPostgresNote, writePostgresNote } from "../layout/bookkeeping.ts";

/** See `WritableStore.prune`. */
export const prunePostgres = (
  knex: Knex,
  tables: readonly TableSchema[],
  time: number,
  builds: number,
  kept: number | undefined,
): Promise<number> =>
  knex.transaction(async (transaction) => {
    await lockCommits(transaction);
    const [last] = await transaction("cadastre_commit")
      .max({ checkpoint: "checkpoint" })
      .where("committed_at", "<", time);
    const earliest = Math.min(Number(last?.checkpoint ?? 0), kept ?? Number.POSITIVE_INFINITY);
    if (earliest <= Number((await readPostgresNote(transaction, prunedNote)) ?? 0)) return 0;
    let forgotten = 0;
    for (const { name, closed } of tables) {
      const { text, values } = render(earliestNeeded(name, builds), () => "?");
      const needed = transaction.raw(text, [...values] as Knex.RawBinding[]);
      const ended = transaction(closed).where(validity.to.name, "<=", earliest);
      forgotten += await ended.where(validity.to.name, "<=", needed).delete();
    }
    await writePostgresNote(transaction, prunedNote, String(earliest));
    return forgotten;
  });
