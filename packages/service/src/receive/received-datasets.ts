import { type Domain, domainTable } from "@cadastre/manifest";
import type { RecordName } from "@cadastre/reso";
import { IngestError } from "../ingest/ingest-error.ts";

/** A dataset of a delivery, and the resource that its records are ingested into. */
export type ReceivedDataset = { readonly dataset: string; readonly resource: RecordName };

const received = (dataset: string, resource: RecordName): ReceivedDataset => ({ dataset, resource });

/** Datasets of each domain, owners before what belongs to them. A text says why a domain is not ingested. */
const datasetsOfDomain: Readonly<Record<Domain, readonly ReceivedDataset[] | string>> = {
  office: [received("office", "Office")],
  member: [received("member", "Member")],
  listing: [
    received("listing", "Property"),
    received("listing_media", "Media"),
    received("media_assets", "MediaAsset"),
  ],
  open_house: [received("open_house", "OpenHouse")],
  public_record: [received("public_record", "PublicRecord")],
  property: "properties are computed from listings: receive `listing`",
  market_report: "market reports are computed from listings: receive `listing`",
  lookup: "the values of lookups come from the catalog: `cadastre system learn --metadata` takes them over",
};

/** Domains in the order in which their deliveries are ingested. */
const order = Object.keys(datasetsOfDomain);

/** Compares two domains by the order in which their deliveries are ingested. */
export const compareDomains = (a: Domain, b: Domain): number => order.indexOf(a) - order.indexOf(b);

/** Returns the datasets of a domain that are ingested. @throws {IngestError} if none is */
export function receivedDatasets(domain: Domain): readonly ReceivedDataset[] {
  const found = datasetsOfDomain[domain];
  if (typeof found === "string") throw new IngestError(`${domain} is not received: ${found}`);
  return found;
}

/** Returns the field that is the key of a dataset. */
export const keyFieldOfDataset = (domain: Domain, dataset: string): string =>
  domainTable[domain].datasets.find(({ name }) => name === dataset)?.keyField ?? "";
