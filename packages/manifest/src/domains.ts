/** Records of one kind, which are delivered in parts of their own. */
export type DomainDataset = {
  readonly name: string;
  /** Entity set with the same records; null if there is none. */
  readonly resource: string | null;
  /** Name of the key column. */
  readonly keyField: string;
};

/** A domain: datasets that are exported together. */
export type DomainEntry = {
  /** Version of the columns of its datasets. */
  readonly schemaVersion: string;
  /** True if the column names are from the RESO Data Dictionary. */
  readonly followsDictionary: boolean;
  /** Datasets in the order of delivery. The first one is the main one: the others belong to its records. */
  readonly datasets: readonly DomainDataset[];
};

const table = {
  property: {
    schemaVersion: "1",
    followsDictionary: false,
    datasets: [{ name: "property", resource: null, keyField: "id" }],
  },
  listing: {
    schemaVersion: "1",
    followsDictionary: true,
    datasets: [
      { name: "listing", resource: "Property", keyField: "ListingKey" },
      { name: "listing_media", resource: "Media", keyField: "MediaKey" },
      { name: "media_assets", resource: null, keyField: "MediaAssetId" },
    ],
  },
  public_record: {
    schemaVersion: "1",
    followsDictionary: false,
    datasets: [{ name: "public_record", resource: null, keyField: "PublicRecordKey" }],
  },
  market_report: {
    schemaVersion: "1",
    followsDictionary: false,
    datasets: [{ name: "market_report", resource: null, keyField: "id" }],
  },
  member: {
    schemaVersion: "1",
    followsDictionary: true,
    datasets: [{ name: "member", resource: "Member", keyField: "MemberKey" }],
  },
  office: {
    schemaVersion: "1",
    followsDictionary: true,
    datasets: [{ name: "office", resource: "Office", keyField: "OfficeKey" }],
  },
  open_house: {
    schemaVersion: "1",
    followsDictionary: true,
    datasets: [{ name: "open_house", resource: "OpenHouse", keyField: "OpenHouseKey" }],
  },
  lookup: {
    schemaVersion: "1",
    followsDictionary: true,
    datasets: [{ name: "lookup", resource: "Lookup", keyField: "LookupKey" }],
  },
} as const satisfies Readonly<Record<string, DomainEntry>>;

export type Domain = keyof typeof table;

/**
 * The domains by name. All that lists domains or datasets is made of this table. Source: interface specification, sections 2.8 and 2.9, for
 * the first four.
 */
export const domainTable: Readonly<Record<Domain, DomainEntry>> = table;

export const domainNames = Object.keys(domainTable) as [Domain, ...Domain[]];

/** Returns the main dataset of a domain, whose records a filter and a selection of fields are about. */
export function mainDataset(domain: Domain): DomainDataset {
  const [main] = domainTable[domain].datasets;
  if (main === undefined) throw new TypeError("a domain has a dataset");
  return main;
}

/** Names of the datasets of all domains. */
export const datasetNames: readonly string[] = Object.values(domainTable).flatMap(({ datasets }) =>
  datasets.map(({ name }) => name),
);
