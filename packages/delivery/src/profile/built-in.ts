import { domainNames } from "../domain/domains.ts";
import { type OutputProfile, profileOf } from "./profile.ts";

/** The formats, with what each is compressed by and how many bytes of JSON lines make a part. */
const formats = [
  { format: "jsonl", compression: "gzip", partBytes: 64 << 20 },
  { format: "csv", compression: "gzip", partBytes: 64 << 20 },
  { format: "parquet", compression: "zstd", partBytes: 128 << 20 },
] as const;

/** For each domain a profile in each format, with all fields. The first one of a domain is what it is delivered by unless asked otherwise. */
export const builtInProfiles: readonly OutputProfile[] = domainNames.flatMap((domain) =>
  formats.map((choice) =>
    profileOf({
      ...choice,
      id: `${domain}-${choice.format}`,
      version: 1,
      domain,
      fields: "*",
      removalReason: true,
    }),
  ),
);
