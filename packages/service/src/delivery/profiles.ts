import { readFileSync } from "node:fs";
import {
  DeliveryError,
  type Domain,
  domainNames,
  type OutputProfile,
  type ProfileFile,
  readProfileFile,
  standardProfiles,
} from "@cadastre/delivery";
import type { EntitySet } from "@cadastre/odata";
import type { Catalog } from "@cadastre/reso";
import { marketColumns } from "@cadastre/store/market";
import { propertyColumns } from "@cadastre/store/property";
import { perCatalog } from "../catalog.ts";
import { type Config, ConfigError } from "../config.ts";
import { fileReason } from "../file-error.ts";

/** Returns the id of a domain's default profile if the settings name none: JSON lines with all fields. */
const usualDefault = (domain: Domain): string => `${domain}-jsonl`;

/**
 * Returns the output profiles: the default of each domain, then the others of the file in the settings, then the standard ones that it does
 * not replace. The first profile of a domain is its default. A file changes the default of a domain only by naming another one in `defaults`.
 *
 * @throws {ConfigError}
 */
export function outputProfiles(
  { exportProfiles: file, partBytes }: Pick<Config, "exportProfiles" | "partBytes">,
  catalog: Catalog,
): readonly OutputProfile[] {
  const standard = standardProfiles(partBytes);
  if (file === undefined) return standard;
  const { profiles: own, defaults } = readOwn(file);
  const fault = own
    .map((profile) => unknownField(profile, knownColumns(catalog)))
    .find((sentence) => sentence !== undefined);
  if (fault !== undefined) throw refusal(file, fault);
  const ids = new Set(own.map(({ id }) => id));
  const all = [...own, ...standard.filter(({ id }) => !ids.has(id))];
  const first = domainNames.map((domain) => {
    const wanted = defaults[domain] ?? usualDefault(domain);
    const own = all.filter((profile) => profile.domain === domain);
    // A file may give the id of a standard profile to a profile of another domain.
    const found =
      own.find(({ id }) => id === wanted) ?? (defaults[domain] === undefined ? own[0] : undefined);
    if (found === undefined)
      throw refusal(file, `defaults.${domain}: \`${wanted}\` is no profile of ${domain}`);
    return found;
  });
  return [...first, ...all.filter((profile) => !first.includes(profile))];
}

function readOwn(file: string): ProfileFile {
  try {
    return readProfileFile(readFileSync(file, "utf8"));
  } catch (error) {
    const isOurs = error instanceof DeliveryError;
    const reason = isOurs
      ? error.message
      : `it cannot be read: ${fileReason(error as NodeJS.ErrnoException)}`;
    throw refusal(file, reason);
  }
}

const refusal = (file: string, reason: string) =>
  new ConfigError(`CADASTRE_EXPORT_PROFILES names ${file}: ${reason}`);

/** Returns a message about the first unknown field of a profile. Undefined if there is none. */
function unknownField(
  { id, fields }: OutputProfile,
  known: ReturnType<typeof knownColumns>,
): string | undefined {
  for (const [dataset, names] of Object.entries(fields === "*" ? {} : fields)) {
    const unknown = names === "*" ? undefined : names.find((name) => !known[dataset]?.includes(name));
    if (unknown !== undefined) return `${id}: ${dataset} has no field \`${unknown}\``;
  }
  return undefined;
}

const fieldsOf = ({ type }: EntitySet): readonly string[] => [...type.properties.keys()];
const namesOf = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

/** Returns the names of all columns of each dataset. */
export const knownColumns = perCatalog(
  ({ entitySet }): Readonly<Record<string, readonly string[]>> => ({
    listing: fieldsOf(entitySet("Property")),
    listing_media: fieldsOf(entitySet("Media")),
    media_assets: fieldsOf(entitySet("MediaAsset")),
    property: namesOf(propertyColumns(entitySet("Property"))),
    market_report: namesOf(marketColumns),
    public_record: fieldsOf(entitySet("PublicRecord")),
    member: fieldsOf(entitySet("Member")),
    office: fieldsOf(entitySet("Office")),
    open_house: fieldsOf(entitySet("OpenHouse")),
    lookup: fieldsOf(entitySet("Lookup")),
  }),
);
