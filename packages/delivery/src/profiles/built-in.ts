import { domainNames } from "./domains.ts";
import { type OutputProfile, profileOf } from "./profile.ts";

/** The formats, with what each is compressed by and how many bytes of JSON lines make a part. */
const formats = [
  { format: "jsonl", compression: "gzip", partBytes: 64 << 20 },
  { format: "csv", compression: "gzip", partBytes: 64 << 20 },
  { format: "parquet", compression: "zstd", partBytes: 128 << 20 },
] as const;

/**
 * For each domain a profile in each format, with all fields. The first one of a domain is what it is delivered by unless asked
 * otherwise.
 *
 * @param partBytes of every format, in place of 64 MiB, of Parquet 128 MiB
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
