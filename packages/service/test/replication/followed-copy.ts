import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import pg from "pg";
import { runClient, startClient } from "../support/program.ts";
import type { MonthService } from "./month-service.ts";

type Row = Readonly<Record<string, unknown>>;
type Page = { readonly value: readonly Row[]; readonly "@odata.nextLink"?: string };

/** What one run of `cadastre-client replicate` reports. */
type RunReport = {
  readonly read: number;
  readonly removed: number;
  readonly by: string;
  readonly next: string;
  /** Messages for people. */
  readonly said: string;
};

/** A copy that `cadastre-client replicate` keeps. */
export type FollowedCopy = {
  readonly name: string;
  /** Runs the program until it has applied what there is. */
  readonly run: () => Promise<RunReport>;
  /** Runs it with `--follow`, while `work` goes on, and kills it after a time in milliseconds. */
  readonly killedAfter: (milliseconds: number, work: () => Promise<void>) => Promise<void>;
  /** Compares the copy with a walk by the same key. */
  readonly compare: () => Promise<{ readonly records: number; readonly differing: number }>;
};

/** @param query options of the copy */
export function followedCopy(
  service: MonthService,
  prefix: string,
  query: { readonly filter?: string; readonly select?: string },
): FollowedCopy {
  const { baseUrl, apiKey, copyTarget } = service;
  const options = Object.entries({ prefix, ...query }).flatMap(([name, text]) => [`--${name}`, text]);
  const connection = ["--url", baseUrl, "--into", copyTarget, "--json"];
  const args = ["replicate", "Property", ...connection, ...options];
  const environment = { CADASTRE_API_KEY: apiKey };
  return {
    name: `${prefix}Property`,
    run: async () => {
      const { code, stdout, stderr } = await runClient(args, environment);
      if (code !== 0) throw new Error(`${args.join(" ")}: ${code} ${stderr}`);
      return { ...(JSON.parse(stdout) as Omit<RunReport, "said">), said: stderr.trim() };
    },
    killedAfter: async (milliseconds, work) => {
      const follower = await startClient([...args, "--follow", "--poll", "1"], environment);
      const timer = setTimeout(() => follower.kill("SIGKILL"), milliseconds);
      await work();
      await follower.ended;
      clearTimeout(timer);
    },
    compare: async () => {
      const [copied, served] = [await copiedRows(copyTarget, `${prefix}Property`), await servedRows()];
      const keys = new Set([...copied.keys(), ...served.keys()]);
      const differs = (key: string) => !isDeepStrictEqual(copied.get(key), served.get(key));
      return { records: served.size, differing: [...keys].filter(differs).length };
    },
  };

  async function servedRows(): Promise<ReadonlyMap<string, Row>> {
    const rows = new Map<string, Row>();
    const search = new URLSearchParams();
    if (query.filter !== undefined) search.set("$filter", query.filter);
    // The program adds these.
    if (query.select !== undefined) search.set("$select", `ListingKey,ModificationTimestamp,${query.select}`);
    for (
      let next: string | undefined = `${baseUrl}/reso/odata/Property?${search.toString()}`;
      next !== undefined;
    ) {
      const headers = { "x-api-key": apiKey, prefer: "odata.maxpagesize=1000" };
      const response = await fetch(next, { headers });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const page = (await response.json()) as Page;
      for (const row of page.value) rows.set(String(row["ListingKey"]), row);
      next = page["@odata.nextLink"];
    }
    return rows;
  }
}

async function copiedRows(target: string, table: string): Promise<ReadonlyMap<string, Row>> {
  const text = `select key, record from "${table}"`;
  if (target.startsWith("sqlite:")) {
    const database = new Database(target.slice("sqlite:".length), { readonly: true });
    try {
      const rows = database.prepare<[], { key: string; record: string }>(text).all();
      return new Map(rows.map(({ key, record }) => [key, JSON.parse(record) as Row]));
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  try {
    const { rows } = await client.query<{ key: string; record: Row }>(text);
    return new Map(rows.map(({ key, record }) => [key, record]));
  } finally {
    await client.end();
  }
}
