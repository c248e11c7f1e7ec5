import { readFileSync } from "node:fs";
import { DeliveryError, type OutputProfile, readProfiles, standardProfiles } from "@cadastre/delivery";
import { type Config, ConfigError } from "../config.ts";
import { knownColumns } from "./known-columns.ts";

/**
 * The output profiles: those of the file that the settings name, then those that are there anyway. The first one of a domain is
 * what it is delivered by unless asked otherwise.
 *
 * @throws {ConfigError}
 */
export function outputProfiles({
  exportProfiles: file,
  partBytes,
}: Pick<Config, "exportProfiles" | "partBytes">): readonly OutputProfile[] {
  const standard = standardProfiles(partBytes);
  if (file === undefined) return standard;
  const own = readOwn(file);
  const fault = own.map(unknownField).find((sentence) => sentence !== undefined);
  if (fault !== undefined) throw refusal(file, fault);
  const ids = new Set(own.map(({ id }) => id));
  return [...own, ...standard.filter(({ id }) => !ids.has(id))];
}

function readOwn(file: string): readonly OutputProfile[] {
  try {
    return readProfiles(readFileSync(file, "utf8"));
  } catch (error) {
    const isOurs = error instanceof DeliveryError;
    const reason = isOurs ? error.message : `it cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw refusal(file, reason);
  }
}

const refusal = (file: string, reason: string) =>
  new ConfigError(`CADASTRE_EXPORT_PROFILES names ${file}: ${reason}`);

/** What is wrong with the fields of a profile, if anything is. */
function unknownField({ id, fields }: OutputProfile): string | undefined {
  for (const [dataset, names] of Object.entries(fields === "*" ? {} : fields)) {
    const unknown = names === "*" ? undefined : names.find((name) => !knownColumns[dataset]?.includes(name));
    if (unknown !== undefined) return `${id}: ${dataset} has no field \`${unknown}\``;
  }
  return undefined;
}
