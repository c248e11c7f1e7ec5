import { msPerHour, referenceTime, timestampText } from "./calendar.ts";
import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { combine, unit } from "./random.ts";
import type { SampleRecord } from "./record.ts";
import type { System } from "./systems.ts";
import { writerOf } from "./writers.ts";

export type MediaCategory = "Photo" | "Document" | "Unbranded Virtual Tour";

/** A picture, a document or a tour of a listing. */
export type Media = {
  readonly system: System;
  readonly seed: number;
  readonly listing: Listing;
  readonly category: MediaCategory;
  /** Index among all media of the listing, from 0. */
  readonly order: number;
  readonly enteredAt: number;
  readonly modifiedAt: number;
};

const forEveryone = ["Public", "IDX", "VOW"] as const;
const forAgents = ["Agent Only", "Firm Only", "Office Only"] as const;

/** Fraction of pictures that are private. */
const privatePhotos = 0.03;

function permissionOf({ category, seed }: Media): readonly string[] {
  if (category === "Unbranded Virtual Tour") return ["Public"];
  const draw = unit(combine(seed, 5));
  if (category === "Document") return draw < 0.5 ? forAgents : draw < 0.7 ? ["Private"] : forEveryone;
  return draw < privatePhotos ? ["Private"] : forEveryone;
}

const files: Readonly<Record<MediaCategory, readonly [folder: string, ending: string]>> = {
  Photo: ["photos", "jpeg"],
  Document: ["documents", "pdf"],
  "Unbranded Virtual Tour": ["tours", "mp4"],
};

const rooms = [
  "Front of Structure",
  "Living Room",
  "Kitchen",
  "Bedroom",
  "Bathroom",
  "Back of Structure",
  "Dining Room",
  "Garage",
  "Patio",
] as const;

const roomOf = ({ order }: Media): string => rooms[order % rooms.length] as string;

const fills: Fills<Media> = {
  MediaKey: ({ listing, order }) => `${listing.key}-${order}`,
  MediaObjectID: ({ order }) => String(order),
  ResourceName: () => "Property",
  ResourceRecordKey: ({ listing }) => listing.key,
  ResourceRecordID: ({ listing }) => listing.id,
  OriginatingSystemName: ({ system }) => system.name,
  OriginatingSystemID: ({ system }) => system.id,
  OriginatingSystemMediaKey: ({ listing, order }) => `${listing.index}-${order}`,
  OriginatingSystemResourceRecordId: ({ listing }) => listing.id,
  OriginatingSystemResourceRecordKey: ({ listing }) => listing.key,
  SourceSystemName: ({ system }) => system.name,
  SourceSystemID: ({ system }) => system.id,
  Order: ({ order }) => order,
  MediaCategory: ({ category }) => category,
  MediaType: ({ category }) => files[category][1],
  MediaURL: ({ category, listing, order }) =>
    `https://media.example.com/${files[category][0]}/${listing.key}/${order}.${files[category][1]}`,
  MediaStatus: () => "Complete",
  ClassName: () => undefined,
  Permission: permissionOf,
  PreferredPhotoYN: ({ category, order }) => (category === "Photo" ? order === 0 : undefined),
  ImageOf: (media) => (media.category === "Photo" ? roomOf(media) : undefined),
  ImageHeight: ({ category }) => (category === "Photo" ? 1365 : undefined),
  ImageWidth: ({ category }) => (category === "Photo" ? 2048 : undefined),
  ImageSizeDescription: ({ category }) => (category === "Photo" ? "Large" : undefined),
  MediaAlteration: () => undefined,
  ShortDescription: (media) => (media.category === "Photo" ? roomOf(media) : media.category),
  LongDescription: (media) => `${roomOf(media)} of ${media.listing.property.address.text}`,
  ChangedByMemberKey: ({ listing }) => listing.listAgent.key,
  ChangedByMemberID: ({ listing }) => listing.listAgent.mlsId,
  MediaModificationTimestamp: ({ enteredAt }) => timestampText(enteredAt),
  ModificationTimestamp: ({ modifiedAt }) => timestampText(modifiedAt),
};

const write = writerOf("Media", fills);

/** Generates the media of a listing by `order`: pictures, documents, tours. */
export function mediaOf(listing: Listing): readonly Media[] {
  const { photos, documents, tours, photosChangedAt, system } = listing;
  const media: Media[] = [];
  for (let order = 0; order < photos + documents + tours; order++) {
    const seed = combine(listing.seed ^ 0xa7, order);
    const category =
      order < photos ? "Photo" : order < photos + documents ? "Document" : "Unbranded Virtual Tour";
    // One in five was changed some time after it was added.
    const modifiedAt =
      seed % 5 === 0
        ? Math.min(referenceTime - 1, photosChangedAt + (seed % 700) * msPerHour)
        : photosChangedAt;
    media.push({ system, seed, listing, category, order, enteredAt: photosChangedAt, modifiedAt });
  }
  return media;
}

/** Generates the Media records of a listing by `Order`. */
export const mediaRecords = (listing: Listing): readonly SampleRecord[] => mediaOf(listing).map(write);
