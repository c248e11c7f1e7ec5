import { hasPostgres } from "@cadastre/odata/testing";
import { describe, expect, test } from "vitest";
import { simulateMonth } from "./replication/follower-month.ts";

/** `DAYS=90 LISTINGS=20000 CHANGES=200 SEED=2` follows for longer, and more. */
const { DAYS = "30", LISTINGS = "600", CHANGES = "20", SEED = "1" } = process.env;
const days = Number(DAYS);

describe.each([["SQLite", false] as const, ["PostgreSQL", !hasPostgres] as const])(
  "a service on %s",
  (database, isAbsent) => {
    test.skipIf(isAbsent)(
      `a follower has what a fresh walk has on each of ${DAYS} days`,
      async () => {
        const month = {
          database,
          days,
          listings: Number(LISTINGS),
          changes: Number(CHANGES),
          seed: Number(SEED),
        };
        const differing: string[] = [];
        const ways = new Set<string>();
        for await (const { day, event, copy, by, read, removed, said, ...compared } of simulateMonth(month)) {
          const { records, differing: different } = compared;
          const line = `day ${day}, ${event}: ${copy} by ${by}, ${read} read, ${removed} removed; ${different} of ${records} differ`;
          console.info(said === "" ? line : `${line} (${said})`);
          if (different > 0) differing.push(line);
          ways.add(by);
        }
        expect(differing).toEqual([]);
        expect([...ways]).toEqual(["walk", "delta"]);
      },
      120_000 + days * 30_000,
    );
  },
);
