import type { Manifest } from "@cadastre/manifest";

export type Domain = Manifest["domain"];

/** A file's worth of records of one kind. */
export type Dataset = {
  readonly name: string;
  /** Entity set that has the same records; null: none has. */
  readonly resource: string | null;
  /** Name of the column that tells records apart. */
  readonly keyField: string;
};

/** What can be exported. */
export type DomainEntry = {
  /** Of what its datasets have. */
  readonly schemaVersion: string;
  /** Version of the RESO Data Dictionary that names the columns; null: none does. */
  readonly resoDdVersion: string | null;
  /** In the order in which they are delivered. */
  readonly datasets: readonly Dataset[];
};

/** Source of the names: interface specification, sections 2.8 and 2.9. */
export const domains: Readonly<Record<Domain, DomainEntry>> = {
  property: {
    schemaVersion: "1",
    resoDdVersion: null,
    datasets: [{ name: "property", resource: null, keyField: "id" }],
  },
  listing: {
    schemaVersion: "1",
    resoDdVersion: "2.0",
    datasets: [
      { name: "listing", resource: "Property", keyField: "ListingKey" },
      { name: "listing_media", resource: "Media", keyField: "MediaKey" },
      { name: "media_assets", resource: null, keyField: "MediaAssetId" },
    ],
  },
  public_record: {
    schemaVersion: "1",
    resoDdVersion: null,
    datasets: [{ name: "public_record", resource: null, keyField: "PublicRecordKey" }],
  },
  market_report: {
    schemaVersion: "1",
    resoDdVersion: null,
    datasets: [{ name: "market_report", resource: null, keyField: "id" }],
  },
};

/** Names of the domains. */
export const domainNames = Object.keys(domains) as [Domain, ...Domain[]];
