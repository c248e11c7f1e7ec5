import { type CompiledSql, postgres, type SqlFragment, sql } from "@cadastre/odata";
import { render, value } from "@cadastre/odata/run";
import { lastCheckpoint } from "../../schema/table.ts";
import type { Tally } from "../../write/tallies.ts";
import { type Client, firstRow, runTogether } from "../connection/session.ts";
import { noteTallies, postgresLastCheckpoint } from "../layout/bookkeeping.ts";

/** The number of an open commit, its checkpoint. */
export type CommitNumber = {
  /** Returns the number, which it takes when it is called first. */
  readonly take: () => Promise<bigint>;
  /**
   * Records the commit. Afterwards the transaction can be committed: all commits with lower numbers have ended. Returns true if some of
   * them were still open when the number was taken, so that statements of the transaction may not have seen their changes.
   */
  readonly record: (tallies: readonly Tally[]) => Promise<boolean>;
  /** Gives the number up, because nothing has changed. Returns that of the last commit. */
  readonly giveUp: () => Promise<bigint>;
};

/** Numbers the only open commit. */
export async function numberOfOnlyCommit(client: Client): Promise<CommitNumber> {
  const head = await readHead(client);
  const number = head + 1n;
  return {
    take: async () => number,
    record: async (tallies) => {
      await runTogether(client, [addCommit(number), ...noteTallies(number, tallies)]);
      return false;
    },
    giveUp: async () => head,
  };
}

/**
 * Numbers a commit while commits of other datasets are open. It takes the lowest number after the last commit that no open commit has, by
 * inserting its row. When it ends it waits for the commits with lower numbers, so that commits become visible in the order of their numbers. A
 * lower number that nobody has by then, because its commit was rolled back, becomes a commit without changes: nobody can take it afterwards.
 *
 * Commits with numbers wait for those with lower ones only, and others hold nothing that these need, so no cycle can arise.
 */
export function numberBesideOthers(client: Client): CommitNumber {
  let taken: TakenNumber | undefined;
  const take = async (): Promise<TakenNumber> => {
    taken ??= await takeNumber(client);
    return taken;
  };
  return {
    take: async () => (await take()).number,
    record: async (tallies) => {
      const { number, head } = await take();
      for (let lower = number - 1n; lower > head; lower--) if (!(await passNumber(client, lower))) break;
      await runTogether(client, [
        compile(
          sql`update "cadastre_commit" set "committed_at" = ${now()} where "checkpoint" = ${bigint(number)}`,
        ),
        ...noteTallies(number, tallies),
      ]);
      return number > head + 1n;
    },
    giveUp: async () => {
      if (taken !== undefined)
        await runTogether(client, [
          compile(sql`delete from "cadastre_commit" where "checkpoint" = ${bigint(taken.number)}`),
        ]);
      return readHead(client);
    },
  };
}

const compile = (statement: SqlFragment): CompiledSql => render(statement, postgres.placeholder);
const bigint = (number: bigint) => sql`${value(number)}::bigint`;
/** Milliseconds since 1970. */
const now = () => sql`${value(Date.now())}::bigint`;

async function readHead(client: Client): Promise<bigint> {
  const [last] = (await firstRow(client, postgresLastCheckpoint)) ?? [];
  return BigInt(last ?? 0);
}

const addCommit = (number: bigint): CompiledSql =>
  compile(
    sql`insert into "cadastre_commit" ("checkpoint", "committed_at") values (${bigint(number)}, ${now()})`,
  );

/** Number of open commits that each have a number, at most. */
const mostOpen = sql`1000`;

/** A number, and that of the last commit when it was taken. */
type TakenNumber = { readonly number: bigint; readonly head: bigint };

async function takeNumber(client: Client): Promise<TakenNumber> {
  const last = sql`(${lastCheckpoint})`;
  // The lock shows others that the number is taken: the row does not, without waiting for the end of its transaction.
  const isFree = sql`pg_try_advisory_xact_lock(hashtextextended('cadastre commit ' || current_schema() || ' ' || "number", 0))`;
  for (;;) {
    const statement = compile(
      sql`insert into "cadastre_commit" ("checkpoint", "committed_at")
  select "number", ${now()} from generate_series(${last} + 1, ${last} + ${mostOpen}) as "number" where ${isFree} limit 1
  on conflict do nothing returning "checkpoint", ${last}`,
    );
    const [number, head] = (await firstRow(client, statement)) ?? [];
    // Without a row the number was not free any more: the next statement sees the commits that have ended meanwhile.
    if (number !== undefined) return { number: BigInt(number ?? 0), head: BigInt(head ?? 0) };
  }
}

/** Waits until the commit with a number has ended. Returns true if it was rolled back or never begun: then its number is used up. */
async function passNumber(client: Client, number: bigint): Promise<boolean> {
  const { text, values } = addCommit(number);
  const row = await firstRow(client, {
    text: `${text} on conflict do nothing returning "checkpoint"`,
    values,
  });
  return row !== undefined;
}
