import type { Row } from "@cadastre/odata";
import { z } from "zod";

const schema = z.strictObject({
  listingKey: z.string(),
  city: z.string(),
  state: z.string(),
  placekey: z.string(),
});

/** Values from the data, for example requests that are sure to find something. */
export type Examples = z.output<typeof schema>;

/** Parses stored examples; undefined if there are none. @throws if the text is malformed */
export const readExamples = (text: string | undefined): Examples | undefined =>
  text === undefined ? undefined : schema.parse(JSON.parse(text));

/** Maximum number of Placekeys whose listings are counted, to find a property that several systems list. */
const mostProperties = 5000;

type Property = { readonly systems: Set<string>; listings: number };
type City = { readonly city: string; readonly state: string; listings: number };

const exampleMembers = [
  "ListingKey",
  "City",
  "StateOrProvince",
  "StandardStatus",
  "Placekey",
  "OriginatingSystemName",
] as const;

/** Returns what {@link ExampleFinder} needs of a Property record. */
export const exampleSourceOf = (record: Row): ExampleSource =>
  Object.fromEntries(exampleMembers.map((name) => [name, record[name]]));

export type ExampleSource = Partial<Record<(typeof exampleMembers)[number], unknown>>;

/** Finds {@link Examples} in a stream of Property records. */
export class ExampleFinder {
  readonly #properties = new Map<string, Property>();
  readonly #cities = new Map<string, City>();
  #listingKey: string | undefined;

  /** Takes the key, city and state of an active listing that has a city and state, and the Placekey of any listing. */
  see(property: ExampleSource): void {
    const { ListingKey, City, StateOrProvince, StandardStatus, Placekey, OriginatingSystemName } = property;
    if (StandardStatus === "Active" && typeof City === "string" && typeof StateOrProvince === "string") {
      if (typeof ListingKey === "string") this.#listingKey ??= ListingKey;
      const name = `${City}, ${StateOrProvince}`;
      const seen = this.#cities.get(name) ?? { city: City, state: StateOrProvince, listings: 0 };
      seen.listings++;
      this.#cities.set(name, seen);
    }
    if (typeof Placekey === "string") {
      const seen = this.#properties.get(Placekey) ?? { systems: new Set(), listings: 0 };
      if (this.#properties.size < mostProperties) this.#properties.set(Placekey, seen);
      seen.systems.add(String(OriginatingSystemName));
      seen.listings++;
    }
  }

  /** Returns the examples. Undefined if no active listing has a city and state, or no listing a Placekey. */
  found(): Examples | undefined {
    const [busiest] = [...this.#cities.values()].toSorted((a, b) => b.listings - a.listings);
    const [shared] = [...this.#properties].toSorted(
      ([, a], [, b]) => b.systems.size - a.systems.size || b.listings - a.listings,
    );
    if (busiest === undefined || shared === undefined || this.#listingKey === undefined) return undefined;
    const { city, state } = busiest;
    return { listingKey: this.#listingKey, city, state, placekey: shared[0] };
  }
}
