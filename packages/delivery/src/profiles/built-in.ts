import { domainNames } from "@cadastre/manifest";
import { type OutputProfile, profileOf } from "./profile.ts";

/** The formats, each with its compression and the size of its parts in bytes of JSON lines. */
const formats = [
  { format: "jsonl", compression: "gzip", partBytes: 64 << 20 },
  { format: "csv", compression: "gzip", partBytes: 64 << 20 },
  { format: "parquet", compression: "zstd", partBytes: 128 << 20 },
] as const;

/**
 * Returns a profile for each domain and format, with all fields. The first one of a domain is its default.
 *
 * @param partBytes size of parts in every format; by default 64 MiB, and 128 MiB for Parquet
 */
export const standardProfiles = (partBytes?: number): readonly OutputProfile[] =>
  domainNames.flatMap((domain) =>
    formats.map((format) =>
      profileOf({
        ...format,
        ...(partBytes === undefined ? {} : { partBytes }),
        id: `${domain}-${format.format}`,
        version: 1,
        domain,
        fields: "*",
        removalReason: true,
      }),
    ),
  );

export const builtInProfiles = standardProfiles();
