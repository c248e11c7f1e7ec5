/**
 * Generates synthetic MLS markets. The same seed gives the same offices, members, listings, media and their
 * files, open houses and public records.
 *
 * @module
 */
export {
  generateMarket,
  type MarketOptions,
  type SampleListing,
  type SampleMarket,
  type SampleResource,
  type SampleRow,
} from "./market.ts";
export type { SampleRecord } from "./record.ts";
