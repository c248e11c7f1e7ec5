import { describe, expect, test } from "vitest";
import { deltaAfter, seedAfter } from "./support/chain.ts";
import { type DeliveryOptions, listings, makeDelivery, type Row } from "./support/deliveries.ts";
import {
  duckdb,
  type Emptied,
  engines,
  load,
  overwrite,
  sent,
  sqlite,
  withPostgres,
} from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
withPostgres();

const keyOf = (row: Row | undefined): string => String(row?.["ListingKey"]);
const media = (keys: readonly string[]): readonly Row[] => keys.map((key) => ({ MediaKey: key, Order: 1 }));

/** What a table holds, without what is null. */
async function held({ all }: Emptied, table: string, like: readonly Row[]): Promise<readonly Row[]> {
  const [key = ""] = Object.keys(like[0] ?? {});
  const rows = await all(`select * from ${table} order by "${key}"`);
  return rows.map((row, k) => {
    const members = Object.entries(row).map(([column, value]): readonly [string, unknown] => [
      column,
      sent(value, like[k]?.[column]),
    ]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Row;
  });
}

describe.each(engines)("$name", ({ begin, formats, isAbsent }) => {
  const has = test.skipIf(isAbsent);

  has.each(formats)("a delta of %s changes, adds and removes by key", async (format) => {
    const place = await begin();
    const rows = listings(30);
    // Every part of a CSV has all columns in its header, and those of the test have what their rows have.
    const rowsPerPart = format === "csv" ? 50 : 4;
    const made = (options: DeliveryOptions) => ({ format, rowsPerPart, ...options });
    const seed = await seedAfter(
      undefined,
      made({ datasets: { listing: rows, listing_media: media(["m1", "m2"]) } }),
    );
    await load(server(), place.target, seed);
    // The second one loses members; the last one is new.
    const changed = listings(6, 25).map((row, k) => ({
      ...row,
      ListPrice: 1.5 + k,
      PublicRemarks: "changed",
    }));
    const removed = rows.slice(3, 9).map(keyOf);
    const delta = await deltaAfter(
      seed,
      made({ datasets: { listing: changed, listing_media: [] }, removals: { listing: removed } }),
    );
    expect(await load(server(), place.target, delta)).toBe("new");
    expect(await load(server(), place.target, delta)).toBe("done");
    const now = [...rows.slice(0, 3), ...rows.slice(9, 25), ...changed];
    expect(await held(place, "listing", now)).toEqual(now);
    expect(await place.all("select * from listing_media")).toHaveLength(2);
    expect(await place.all("select * from cadastre_loads")).toHaveLength(2);
    const gone = await deltaAfter(
      delta,
      made({
        datasets: { listing: [], listing_media: [] },
        removals: { listing: now.map(keyOf), listing_media: ["m1"] },
      }),
    );
    await load(server(), place.target, gone);
    expect(await place.all("select * from listing")).toEqual([]);
    expect(await held(place, "listing_media", media(["m2"]))).toEqual(media(["m2"]));
  });

  has("a delta brings columns of its own, and numbers where there were whole ones", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, {
      datasets: {
        listing: [
          { ListingKey: "a", ListPrice: 1 },
          { ListingKey: "b", ListPrice: 2 },
        ],
      },
    });
    const next = [{ ListingKey: "b", ListPrice: 2.5, City: "Austin", Appliances: ["Oven"] }];
    const delta = await deltaAfter(seed, { datasets: { listing: next } });
    for (const one of [seed, delta]) await load(server(), place.target, one);
    const now = [{ ListingKey: "a", ListPrice: 1 }, ...next];
    expect(await held(place, "listing", now)).toEqual(now);
  });

  has("a delta without a change advances the ledger", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, { datasets: { listing: listings(3) } });
    const same = await deltaAfter(seed, { datasets: { listing: [] } });
    const next = await deltaAfter(same, { datasets: { listing: listings(1, 3) } });
    for (const one of [seed, same, next]) expect(await load(server(), place.target, one)).toBe("new");
    expect(await place.all("select * from listing")).toHaveLength(4);
  });

  has("a seed takes the place of all, and of what its generation has no more", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, {
      datasets: { listing: listings(9), listing_media: media(["m1"]) },
    });
    const delta = await deltaAfter(seed, {
      datasets: { listing: listings(2, 20), listing_media: [] },
      removals: { listing_media: ["m1"] },
    });
    const [rows] = [listings(2)];
    const again = await seedAfter(delta, { datasets: { listing: rows } });
    for (const one of [seed, delta, again]) await load(server(), place.target, one);
    expect(await held(place, "listing", rows)).toEqual(rows);
    const media2 = await seedAfter(again, {
      datasets: { listing: rows, listing_media: media(["m2"]) },
    });
    await load(server(), place.target, media2);
    await load(server(), place.target, await seedAfter(media2, { datasets: { listing: rows } }));
    expect(await place.all("select * from listing_media")).toEqual([]);
  });

  describe("does not load, and leaves all as it was:", () => {
    const rows = listings(5);
    const seeded = async () => {
      const place = await begin();
      const seed = await seedAfter(undefined, { datasets: { listing: rows } });
      await load(server(), place.target, seed);
      const refuses = async (code: string, made: ReturnType<typeof makeDelivery>) => {
        await expect(load(server(), place.target, await made)).rejects.toMatchObject({ code });
        expect(await held(place, "listing", rows)).toEqual(rows);
        expect(await place.all("select * from cadastre_loads")).toHaveLength(1);
      };
      return { place, seed, refuses };
    };
    const listing = listings(2, 3);

    has("a gap, a fork, another window, another profile", async () => {
      const { seed, refuses } = await seeded();
      const next = await deltaAfter(seed, { datasets: { listing } });
      await refuses("chain_gap", deltaAfter(next, { datasets: { listing } }));
      const other = await seedAfter(undefined, { datasets: { listing } });
      await refuses("chain_fork", deltaAfter(other, { datasets: { listing } }));
      await refuses("ledger_conflict", Promise.resolve(other));
      const window = { ...next.manifest.window, fromCheckpoint: "elsewhere" };
      const edited = (edit: NonNullable<DeliveryOptions["edit"]>) =>
        deltaAfter(seed, { datasets: { listing }, edit });
      await refuses(
        "chain_window",
        edited((manifest) => ({ ...manifest, window })),
      );
      const profile = { ...next.manifest.profile, sha256: seed.sha256 };
      await refuses(
        "chain_pin",
        edited((manifest) => ({ ...manifest, profile })),
      );
    });

    has("the removal of what is not there", async () => {
      const { seed, refuses } = await seeded();
      const removals = { listing: ["LSM_000001", "LSM_999999"] };
      await refuses("copy_differs", deltaAfter(seed, { datasets: { listing }, removals }));
    });

    has("a record that is removed by the same delta", async () => {
      const { seed, refuses } = await seeded();
      const removals = { listing: ["LSM_000001", keyOf(listing[0])] };
      await refuses("removal_contradicted", deltaAfter(seed, { datasets: { listing }, removals }));
    });

    has("a record that is twice in a delta", async () => {
      const { seed, refuses } = await seeded();
      await refuses("target_failed", deltaAfter(seed, { datasets: { listing: [...listing, ...listing] } }));
    });

    has("a delta of what another delivery has filled", async () => {
      const { place, seed } = await seeded();
      await overwrite(place, await makeDelivery({ id: "other", datasets: { listing: rows } }));
      const delta = await deltaAfter(seed, { datasets: { listing } });
      await expect(load(server(), place.target, delta)).rejects.toMatchObject({
        code: "table_foreign",
        exitCode: 6,
      });
      expect(await held(place, "listing", rows)).toEqual(rows);
      expect(await load(server(), place.target, await seedAfter(delta, { datasets: { listing: [] } }))).toBe(
        "new",
      );
    });

    has("a delta where there is no seed", async () => {
      const { target } = await begin();
      const seed = await seedAfter(undefined, { datasets: { listing: rows } });
      await expect(
        load(server(), target, await deltaAfter(seed, { datasets: { listing } })),
      ).rejects.toMatchObject({ code: "seed_not_loaded", exitCode: 2 });
    });
  });
});

test("a delta of Parquet brings the columns that an empty seed had not, if they have plain types", async () => {
  const place = await duckdb.begin();
  const format = "parquet";
  const seed = await seedAfter(undefined, { format, datasets: { listing: [] } });
  const rows = listings(4);
  const delta = await deltaAfter(seed, { format, datasets: { listing: rows } });
  const nested = await deltaAfter(delta, {
    format,
    datasets: { listing: [{ ListingKey: "a", Place: { 'x" y': 1 } }] },
  });
  for (const one of [seed, delta]) await load(server(), place.target, one);
  expect(await held(place, "listing", rows)).toEqual(rows);
  await expect(load(server(), place.target, nested)).rejects.toMatchObject({ code: "column_type" });
  expect(await held(place, "listing", rows)).toEqual(rows);
});

test("a removal without its key is no record", async () => {
  const { target } = await sqlite.begin();
  const seed = await seedAfter(undefined, { datasets: { listing: listings(3) } });
  await load(server(), target, seed);
  const nameless = await deltaAfter(seed, {
    datasets: { listing: [] },
    removals: { listing: ["LSM_000001"] },
    spoil: () => Buffer.from('{"removalReason":"deleted"}\n'),
  });
  await expect(load(server(), target, nameless)).rejects.toMatchObject({ code: "part_malformed" });
});

test("a folder has the deliveries of a chain, and refuses what breaks it", async () => {
  const folder = emptyFolder();
  const seed = await seedAfter(undefined, { datasets: { listing: listings(3) } });
  const delta = await deltaAfter(seed, { datasets: { listing: listings(1) } });
  const later = await deltaAfter(delta, { datasets: { listing: listings(1) } });
  await expect(load(server(), folder, delta)).rejects.toMatchObject({ code: "seed_not_loaded" });
  expect(await load(server(), folder, seed)).toBe("new");
  await expect(load(server(), folder, later)).rejects.toMatchObject({ code: "chain_gap" });
  for (const one of [delta, later]) expect(await load(server(), folder, one)).toBe("new");
  expect(await load(server(), folder, delta)).toBe("done");
});
