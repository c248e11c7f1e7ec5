/**
 * Synthetic MLS markets: the same seed gives the same offices, members, listings, media and open houses.
 *
 * @module
 */
export {
  generateMarket,
  type Market,
  type MarketOptions,
  type SampleListing,
  type SampleResource,
  type SampleRow,
  sampleResources,
} from "./market.ts";
export type { FieldValue, GeoPoint, SampleRecord } from "./record.ts";
