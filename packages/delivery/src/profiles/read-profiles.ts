import { type Domain, domainNames, domainTable } from "@cadastre/manifest";
import { z } from "zod";
import { DeliveryError } from "../errors.ts";
import { type OutputProfile, type ProfileChoice, profileOf } from "./profile.ts";

/** Compressions of each format; no built-in profile uses `none`. Source: interface specification, section 2.8. */
const compressions: Readonly<Record<ProfileChoice["format"], readonly ProfileChoice["compression"][]>> = {
  jsonl: ["gzip", "none"],
  csv: ["gzip", "none"],
  parquet: ["zstd"],
};

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);

const names = z
  .array(z.string().min(1))
  .min(1)
  .refine((items) => new Set(items).size === items.length, "names a field twice");

const choice = z
  .strictObject({
    id: name,
    version: z.int().positive(),
    domain: z.enum(domainNames),
    fields: z.union([z.literal("*"), z.record(name, z.union([z.literal("*"), names]))]).default("*"),
    format: z.enum(["jsonl", "csv", "parquet"]),
    compression: z.enum(["gzip", "zstd", "none"]),
    partBytes: z
      .int()
      .min(1 << 16)
      .max(1 << 30)
      .default(64 << 20),
    removalReason: z.boolean().default(true),
  })
  .check(({ value, issues }) => {
    const { domain, fields, format, compression } = value;
    if (!compressions[format].includes(compression)) {
      const message = `${format} is compressed by ${compressions[format].join(" or ")}`;
      issues.push({ code: "custom", path: ["compression"], message, input: compression });
    }
    const unknown = fields === "*" ? undefined : Object.keys(fields).find((one) => !isDataset(one, domain));
    if (unknown !== undefined) {
      const message = `is no dataset of ${domain}`;
      issues.push({ code: "custom", path: ["fields", unknown], message, input: unknown });
    }
  });

const isDataset = (wanted: string, domain: Domain): boolean =>
  domainTable[domain].datasets.some((dataset) => dataset.name === wanted);

const file = z.strictObject({
  profiles: z
    .array(choice)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "has two profiles of one id"),
  defaults: z.partialRecord(z.enum(domainNames), name).default({}),
});

/** The contents of a configuration file of profiles. */
export type ProfileFile = {
  readonly profiles: readonly OutputProfile[];
  /** Ids of the default profiles, by domain. They may be of profiles that the file does not define. */
  readonly defaults: Readonly<Partial<Record<Domain, string>>>;
};

/** Returns the profiles of a configuration file, see {@link readProfileFile}. @throws {DeliveryError} `invalid_profile` */
export const readProfiles = (text: string): readonly OutputProfile[] => readProfileFile(text).profiles;

/**
 * Reads the text of a configuration file: `{"profiles": […], "defaults": {"listing": "<id>"}}`.
 *
 * @throws {DeliveryError} `invalid_profile`, with the path of the first invalid member
 */
export function readProfileFile(text: string): ProfileFile {
  const result = file.safeParse(jsonOf(text));
  if (result.success)
    return { profiles: result.data.profiles.map(profileOf), defaults: result.data.defaults };
  const [issue] = result.error.issues;
  throw new DeliveryError("invalid_profile", `${issue?.path.join(".") || "the file"}: ${issue?.message}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DeliveryError("invalid_profile", "the file is not JSON");
  }
}
