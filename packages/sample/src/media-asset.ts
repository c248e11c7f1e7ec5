import { timestampText } from "./calendar.ts";
import type { Listing } from "./listing.ts";
import { type Media, type MediaCategory, mediaOf } from "./media.ts";
import { combine } from "./random.ts";
import type { SampleRecord } from "./record.ts";

type FileFacts = {
  readonly contentType: string;
  readonly ending: string;
  readonly size: readonly [width: number, height: number] | undefined;
  /** Smallest and largest size of a file, in bytes. */
  readonly bytes: readonly [number, number];
};

const files: Readonly<Record<MediaCategory, FileFacts>> = {
  Photo: { contentType: "image/jpeg", ending: "jpeg", size: [2048, 1365], bytes: [180_000, 950_000] },
  Document: { contentType: "application/pdf", ending: "pdf", size: undefined, bytes: [40_000, 4_000_000] },
  "Unbranded Virtual Tour": {
    contentType: "video/mp4",
    ending: "mp4",
    size: [1920, 1080],
    bytes: [9_000_000, 90_000_000],
  },
};

const hash = Buffer.alloc(32);

/** Returns 64 hexadecimal digits in place of a file's hash: the files do not exist. */
function digest(seed: number): string {
  for (let k = 0; k < 8; k++) hash.writeUInt32BE(combine(seed, k), 4 * k);
  return hash.toString("hex");
}

function assetRecord({ listing, order, category, seed, system, enteredAt }: Media): SampleRecord {
  const { contentType, ending, size, bytes } = files[category];
  const [fewest, most] = bytes;
  return {
    Bytes: fewest + (seed % (most - fewest)),
    ContentType: contentType,
    ...(size && { Height: size[1] }),
    MediaAssetId: `${listing.key}-${order}-A1`,
    MediaKey: `${listing.key}-${order}`,
    ModificationTimestamp: timestampText(enteredAt),
    OriginatingSystemName: system.name,
    Sha256: digest(seed),
    Url: `https://assets.example.com/${listing.key}-${order}.${ending}`,
    ...(size && { Width: size[0] }),
  };
}

/** Generates the MediaAsset records of a listing: one for each of its media, in the same order. */
export const mediaAssetRecords = (listing: Listing): readonly SampleRecord[] =>
  mediaOf(listing).map(assetRecord);
