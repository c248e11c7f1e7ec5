import { readFile } from "node:fs/promises";
import { type Catalog, CatalogError, createCatalog, readDefinition } from "@cadastre/reso";
import { Option } from "commander";
import { readConfig } from "../config.ts";
import { configuredFolder } from "../data/data-folder.ts";
import { fileReason } from "../file-error.ts";
import { CommandRefused } from "./outcome.ts";

/** `--catalog`: for commands of an issuer, whose machine has no service. */
export const catalogOption = (): Option =>
  new Option(
    "--catalog <file>",
    "systems and fields of the service, as `cadastre system export` writes them (default: those of the service on this machine)",
  );

/**
 * Returns the catalog of the configured service; undefined on a machine without one, such as an issuer's.
 *
 * @throws {DataError} if its database cannot be read
 */
export async function configuredCatalog(): Promise<Catalog | undefined> {
  // Imported here because the commands of an issuer need no database.
  const { withRegistryAudit } = await import("../data/registry.ts");
  const { toCatalog } = await import("../data/catalogs.ts");
  const folder = configuredFolder(readConfig(process.env));
  const found = await withRegistryAudit(folder, async (audit) => toCatalog(await audit.catalog()));
  return found?.catalog;
}

/** Returns the catalog of a file that `cadastre system export` has written. @throws {CommandRefused} with all faults of the file */
export const createFromFile = async (file: string): Promise<Catalog> =>
  createFrom(file, await readDefinitionFile(file));

/** Reads a catalog's definition. @throws {CommandRefused} if the file cannot be read or is not JSON */
export async function readDefinitionFile(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${file} cannot be read: ${fileReason(cause)}`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandRefused(`${file} is not JSON: ${(cause as SyntaxError).message}`, { cause });
  }
}

/** Creates the catalog of a definition. @throws {CommandRefused} with all faults, each with the file and the member */
export function createFrom(file: string, definition: unknown): Catalog {
  try {
    return createCatalog(readDefinition(definition));
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    throw new CommandRefused(faultLines(file, error), { cause: error });
  }
}

/** Returns a line for each fault of a file, which begins with its name. */
export const faultLines = (file: string, { message }: CatalogError): string =>
  message
    .split("\n")
    .map((line) => `${file}: ${line}`)
    .join("\n");
