/** City of listings: its system, state and county, its first ZIP code, and its centre in degrees. */
export type Place = {
  readonly system: string;
  readonly state: string;
  readonly county: string;
  readonly city: string;
  readonly zip: number;
  readonly latitude: number;
  readonly longitude: number;
};

const place = (
  system: string,
  state: string,
  county: string,
  city: string,
  zip: number,
  latitude: number,
  longitude: number,
): Place => ({ system, state, county, city, zip, latitude, longitude });

export const places: readonly Place[] = [
  place("Lone Star MLS", "TX", "Dallas", "Dallas", 75_201, 32.7767, -96.797),
  place("Lone Star MLS", "TX", "Tarrant", "Fort Worth", 76_102, 32.7555, -97.3308),
  place("Lone Star MLS", "TX", "Harris", "Houston", 77_002, 29.7604, -95.3698),
  place("Lone Star MLS", "TX", "Collin", "Plano", 75_023, 33.0198, -96.6989),
  place("Hill Country Exchange", "TX", "Travis", "Austin", 78_701, 30.2672, -97.7431),
  place("Hill Country Exchange", "TX", "Williamson", "Round Rock", 78_664, 30.5083, -97.6789),
  place("Hill Country Exchange", "TX", "Hays", "San Marcos", 78_666, 29.8833, -97.9414),
  place("Evergreen MLS", "WA", "King", "Seattle", 98_101, 47.6062, -122.3321),
  place("Evergreen MLS", "WA", "Pierce", "Tacoma", 98_402, 47.2529, -122.4443),
  place("Evergreen MLS", "WA", "Snohomish", "Everett", 98_201, 47.979, -122.2021),
  place("Cascade MLS", "OR", "Multnomah", "Portland", 97_201, 45.5152, -122.6784),
  place("Cascade MLS", "OR", "Lane", "Eugene", 97_401, 44.0521, -123.0868),
  place("Cascade MLS", "OR", "Deschutes", "Bend", 97_701, 44.0582, -121.3153),
  place("Gulf Sunshine MLS", "FL", "Hillsborough", "Tampa", 33_602, 27.9506, -82.4572),
  place("Gulf Sunshine MLS", "FL", "Pinellas", "Clearwater", 33_755, 27.9659, -82.8001),
  place("Gulf Sunshine MLS", "FL", "Sarasota", "Sarasota", 34_236, 27.3364, -82.5307),
];
