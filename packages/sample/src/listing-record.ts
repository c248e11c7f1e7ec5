import { campaignFields } from "./campaign-fields.ts";
import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { locationFields } from "./location-fields.ts";
import { peopleFields } from "./people-fields.ts";
import type { SampleRecord } from "./record.ts";
import { relevanceOf } from "./relevance.ts";
import { remarksFields } from "./remarks.ts";
import { structureFields } from "./structure-fields.ts";
import { writerOf } from "./writers.ts";

/** Fields with the origin of the record and the number of its media. */
const identityFields: Fills<Listing> = {
  ListingKey: ({ key }) => key,
  ListingId: ({ id }) => id,
  OriginatingSystemName: ({ system }) => system.name,
  OriginatingSystemID: ({ system }) => system.id,
  OriginatingSystemKey: ({ index }) => String(10_000_000 + index),
  SourceSystemName: ({ system }) => system.name,
  SourceSystemID: ({ system }) => system.id,
  SourceSystemKey: ({ index }) => String(10_000_000 + index),
  PhotosCount: ({ photos }) => photos,
  DocumentsCount: ({ documents }) => documents,
  VideosCount: () => 0,
  VirtualTourURLUnbranded: ({ tours, key }) =>
    tours === 0 ? undefined : `https://media.example.com/tours/${key}`,
  InternetEntireListingDisplayYN: (_, random) => random.chance(0.97),
  InternetAddressDisplayYN: (_, random) => random.chance(0.96),
  CopyrightNotice: ({ system }) => `© 2026 ${system.name}`,
};

const fills: Fills<Listing> = {
  ...identityFields,
  ...locationFields,
  ...campaignFields,
  ...structureFields,
  ...peopleFields,
  ...remarksFields,
};

/** Writes the Property record of a listing, in the form of its system. */
export const listingRecord: (listing: Listing) => SampleRecord = writerOf("Property", fills, relevanceOf);
