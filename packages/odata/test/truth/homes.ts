import type { EntitySet, PrimitiveType, Row, StructuralProperty } from "../../src/index.ts";

/** A home as plain TypeScript. Prices have two decimal places; dates and times are ISO 8601 in UTC. */
export type Home = {
  readonly Key: number;
  readonly Name: string | null;
  readonly Town: string | null;
  readonly Price: number | null;
  readonly Tax: number | null;
  readonly Beds: number | null;
  readonly Baths: number | null;
  readonly Big: bigint | null;
  readonly Score: number | null;
  readonly Open: boolean | null;
  readonly Built: string | null;
  /** With milliseconds. */
  readonly Changed: string | null;
  readonly Opens: string | null;
  /** Whole seconds. */
  readonly Stay: number | null;
  readonly Id: string | null;
  /** In the order of the enumeration type. */
  readonly Views: readonly string[] | null;
  readonly Place: keyof typeof places | null;
  readonly Tags: readonly (string | null)[];
  readonly Counts: readonly (number | null)[];
};

/** Longitude and latitude. */
const places = {
  capitol: [-97.7404, 30.2747],
  airport: [-97.6664, 30.1975],
  waco: [-97.1467, 31.5493],
  fiji: [179.9, -16.5],
} as const;

const property = (name: string, type: PrimitiveType, facets: Partial<StructuralProperty> = {}) =>
  [name, { name, type, collection: false, nullable: true, ...facets }] as const;

const views = { name: "Demo.Views", members: ["Lake", "Mountain", "City"], isFlags: true };
const list = { collection: true, nullable: false };

export const homes: EntitySet = {
  name: "Homes",
  type: {
    name: "Home",
    key: ["Key"],
    properties: new Map<string, StructuralProperty>([
      property("Key", "Edm.Int32", { nullable: false }),
      property("Name", "Edm.String"),
      property("Town", "Edm.String"),
      property("Price", "Edm.Decimal", { precision: 14, scale: 2 }),
      property("Tax", "Edm.Decimal", { precision: 14, scale: 2 }),
      property("Beds", "Edm.Int32"),
      property("Baths", "Edm.Byte"),
      property("Big", "Edm.Int64"),
      property("Score", "Edm.Double"),
      property("Open", "Edm.Boolean"),
      property("Built", "Edm.Date"),
      property("Changed", "Edm.DateTimeOffset", { precision: 3 }),
      property("Opens", "Edm.TimeOfDay"),
      property("Stay", "Edm.Duration"),
      property("Id", "Edm.Guid"),
      property("Views", "Edm.String", { enumType: views }),
      property("Place", "Edm.GeographyPoint"),
      property("Tags", "Edm.String", list),
      property("Counts", "Edm.Int32", list),
    ]),
  },
};

/** All values that a column may hold. Each home gets one of each, chosen by a deterministic generator. */
const texts = [
  "",
  " ",
  "York",
  "york",
  "YORK",
  "New York",
  " York ",
  "O'Fallon",
  "''",
  "100%",
  "100",
  "a_b",
  "axb",
  "a%b",
  "\\",
  '"; drop table "Homes"; --',
  "é",
  "E\u0301",
  "ÉTÉ",
  "Straße",
  "😀rk",
  "😀",
  "\uffee",
  "Zürich",
  "12",
  "A very long name, longer than the others",
];
const prices = [-99.99, -0.01, 0, 0.01, 0.07, 1, 1.5, 100, 100.5, 250_000, 999_999.99, 999_999_999_999.99];
const tags = ["Oven", "oven", "Dishwasher", "", "York", "a_b", null];
const pools = {
  Name: texts,
  Town: texts,
  Price: prices,
  Tax: prices,
  Beds: [-7, -3, -1, 0, 1, 2, 3, 4, 7, 2_147_483_647, -2_147_483_648],
  Baths: [0, 1, 2, 3, 255],
  Big: [0n, 1n, 3n, -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)],
  Score: [0, 0.1, 0.5, 1, 3, -2.5, 1e300, -1e300, 5e-324, 2.5, 1.5],
  Open: [true, false],
  Built: ["0001-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "2024-03-01", "2024-12-31", "9999-12-31"],
  Changed: [
    "0001-01-01T00:00:00.000Z",
    "1969-12-31T23:59:59.999Z",
    "2024-01-15T06:30:00.000Z",
    "2024-01-15T08:30:00.000Z",
    "2024-01-15T08:30:00.001Z",
    "2024-02-29T23:59:59.999Z",
    "2024-03-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
  ],
  Opens: ["00:00:00", "08:30:00", "08:30:00.5", "12:00:00", "23:59:59"],
  Stay: [0, 1, 60, 3600, 86_400, 129_600, -129_600, 31_536_000],
  Id: [
    "00000000-0000-0000-0000-000000000000",
    "0f0e0d0c-0b0a-0908-0706-050403020100",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ],
  Views: [[], ["Lake"], ["City"], ["Lake", "City"], ["Lake", "Mountain", "City"]],
  Place: ["capitol", "airport", "waco", "fiji"],
} as const satisfies { readonly [K in keyof Home]?: readonly unknown[] };

/**
 * Returns a deterministic generator of numbers below 2^32. Source: "mulberry32", a generator in the public domain.
 */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

function makeHomes(count: number): readonly Home[] {
  const next = numbers(1);
  const from = <T>(pool: readonly T[]): T => pool[next() % pool.length] as T;
  const orNull = <T>(pool: readonly T[]): T | null => (next() % 5 === 0 ? null : from(pool));
  const some = <T>(pool: readonly T[]): readonly T[] => Array.from({ length: next() % 4 }, () => from(pool));
  return Array.from({ length: count }, (_, Key) => ({
    Key,
    Name: orNull(pools.Name),
    Town: orNull(pools.Town),
    Price: orNull(pools.Price),
    Tax: orNull(pools.Tax),
    Beds: orNull(pools.Beds),
    Baths: orNull(pools.Baths),
    Big: orNull(pools.Big),
    Score: orNull(pools.Score),
    Open: orNull(pools.Open),
    Built: orNull(pools.Built),
    Changed: orNull(pools.Changed),
    Opens: orNull(pools.Opens),
    Stay: orNull(pools.Stay),
    Id: orNull(pools.Id),
    Views: orNull(pools.Views),
    Place: orNull(pools.Place),
    Tags: some(tags),
    Counts: some([-1, 0, 1, 2, 3, null]),
  }));
}

export const allHomes: readonly Home[] = makeHomes(3000);

/** Returns the home as OData JSON. */
export const toJson = (home: Home): Row => ({
  ...home,
  Big: home.Big === null ? null : String(home.Big),
  Stay: home.Stay === null ? null : `${home.Stay < 0 ? "-" : ""}PT${Math.abs(home.Stay)}S`,
  Views: home.Views === null ? null : home.Views.join(),
  Place: home.Place === null ? null : { type: "Point", coordinates: places[home.Place] },
});
