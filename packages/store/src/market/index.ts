/**
 * Market reports computed from listings.
 *
 * @module
 */
export { marketColumns } from "./columns.ts";
export { type MarketReportOptions, readMarketReport } from "./read-market-report.ts";
