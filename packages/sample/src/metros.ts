import type { SampleSystemId } from "./catalog/index.ts";

/** Neighbouring counties with the same price level and originating systems. */
export type Metro = {
  readonly name: string;
  readonly state: "TX" | "WA" | "OR" | "FL";
  readonly counties: readonly string[];
  /** Relative number of properties in this metro. */
  readonly weight: number;
  /** US dollars per square foot of living area, for a house of average age. */
  readonly pricePerSquareFoot: number;
  /** Systems that list here. `weight` is the relative number of properties that the system lists first. */
  readonly systems: readonly { readonly id: SampleSystemId; readonly weight: number }[];
};

type MetroRow = readonly [
  name: string,
  counties: readonly string[],
  weight: number,
  pricePerSquareFoot: number,
  systems: readonly (readonly [SampleSystemId, number])[],
];

const lonestar = [["lonestar", 1]] as const;
const evergreen = [["evergreen", 1]] as const;
const cascade = [["cascade", 1]] as const;
const gulfsun = [["gulfsun", 1]] as const;

// Prices have a realistic order of magnitude, but are not figures of any market.
const rows: Readonly<Record<Metro["state"], readonly MetroRow[]>> = {
  TX: [
    // biome-ignore format: a table
    ["Austin", ["Travis", "Williamson", "Hays", "Bastrop", "Caldwell"], 12, 285, [["lonestar", 3], ["hillcountry", 1]]],
    // biome-ignore format: a table
    ["Hill Country", ["Blanco", "Burnet", "Gillespie", "Kerr", "Kendall", "Comal"], 7, 300, [["lonestar", 1], ["hillcountry", 3]]],
    ["San Antonio", ["Bexar", "Guadalupe"], 7, 190, lonestar],
    ["Houston", ["Harris", "Fort Bend", "Montgomery", "Galveston"], 15, 180, lonestar],
    ["Dallas-Fort Worth", ["Dallas", "Tarrant", "Collin", "Denton"], 14, 215, lonestar],
    ["West Texas", ["El Paso", "Lubbock"], 3, 150, lonestar],
    ["Central Texas", ["Bell", "McLennan"], 3, 160, lonestar],
  ],
  WA: [
    ["Seattle", ["King", "Snohomish"], 12, 510, evergreen],
    ["South Sound", ["Pierce", "Kitsap", "Thurston"], 6, 320, evergreen],
    ["Spokane", ["Spokane"], 3, 240, evergreen],
    ["Bellingham", ["Whatcom"], 2, 340, evergreen],
    ["Columbia Basin", ["Yakima", "Benton"], 2, 220, evergreen],
    // biome-ignore format: a table
    ["Vancouver", ["Clark"], 4, 305, [["evergreen", 9], ["cascade", 11]]],
  ],
  OR: [
    ["Portland", ["Multnomah", "Washington", "Clackamas", "Yamhill"], 9, 325, cascade],
    ["Willamette Valley", ["Marion", "Lane", "Linn", "Benton"], 5, 260, cascade],
    ["Bend", ["Deschutes"], 2, 400, cascade],
    ["Rogue Valley", ["Jackson"], 2, 250, cascade],
  ],
  FL: [
    ["South Florida", ["Miami-Dade", "Broward", "Palm Beach"], 14, 450, gulfsun],
    ["Orlando", ["Orange", "Seminole", "Polk", "Brevard"], 8, 255, gulfsun],
    ["Tampa Bay", ["Hillsborough", "Pinellas"], 8, 290, gulfsun],
    ["Jacksonville", ["Duval"], 4, 215, gulfsun],
    ["Southwest Florida", ["Lee", "Collier", "Sarasota"], 6, 340, gulfsun],
    ["Tallahassee", ["Leon"], 2, 180, gulfsun],
  ],
};

const states = Object.keys(rows) as Metro["state"][];

/** All metros of the sample markets. */
export const metros: readonly Metro[] = states.flatMap((state) =>
  rows[state].map(
    ([name, counties, weight, pricePerSquareFoot, systems]): Metro => ({
      name,
      state,
      counties,
      weight,
      pricePerSquareFoot,
      systems: systems.map(([id, part]) => ({ id, weight: part })),
    }),
  ),
);
