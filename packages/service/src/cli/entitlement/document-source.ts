import {
  type Entitlement,
  EntitlementError,
  inspectEntitlement,
  verifyEntitlement,
} from "@cadastre/entitlement";
import type { Config } from "../../config.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import type { Registry } from "../../data/registry.ts";
import { CommandRefused } from "../outcome.ts";
import { requireSignable } from "./document-check.ts";
import { readText } from "./files.ts";
import type { GrantCatalog } from "./grant-catalog.ts";

/** Prefix of a customer where a file may be named as well. */
const customerPrefix = "customer:";

/**
 * Reads a document from where a person says: a file with the JSON document or the signed entitlement, `-` for standard input, or
 * `customer:acme` for what is installed for that customer. Warnings about a JSON document go to standard error.
 *
 * @throws {CommandRefused} if there is none, or the document has faults other than its expiry
 */
export async function readDocument(source: string, catalog: GrantCatalog): Promise<Entitlement> {
  if (source.startsWith(customerPrefix)) {
    const customer = source.slice(customerPrefix.length);
    // Imported here because documents in files need no database.
    const { withServiceRegistry } = await import("../data.ts");
    return withServiceRegistry(async (registry) => (await installedOf(customer, registry)).document);
  }
  const text = await readText(source);
  if (/^\s*[\w-]+\.[\w-]+\.[\w-]+\s*$/.test(text)) return inspectEntitlement(text.trim()).document;
  return requireSignable(source, text, catalog);
}

/** An installed entitlement, with its document. */
export type InstalledDocument = {
  readonly customer: string;
  readonly version: number;
  readonly jws: string;
  /** Milliseconds since 1970. */
  readonly installed: number;
  readonly document: Entitlement;
};

/** @throws {CommandRefused} if nothing is installed for the customer */
export async function installedOf(
  customer: string,
  { entitlements }: Pick<Registry, "entitlements">,
): Promise<InstalledDocument> {
  const found = await entitlements.find(customer);
  if (found === undefined)
    throw new CommandRefused(
      `no entitlement is installed for ${customer}: \`cadastre customer list\` lists all customers`,
    );
  return { ...found, document: inspectEntitlement(found.jws).document };
}

/** State of an installed entitlement, as the service sees it. */
export type InstalledState = { readonly isInForce: boolean; readonly sentence: string };

/**
 * Verifies an installed entitlement as the service does.
 *
 * @param at milliseconds since 1970
 */
export async function stateOfInstalled(
  { customer, version, jws, document }: InstalledDocument,
  config: Config,
  folder: DataFolder,
  at: number,
): Promise<InstalledState> {
  const { openTrust } = await import("../../access/trust.ts");
  const trust = await openTrust(config, folder);
  try {
    await verifyEntitlement(jws, { ...trust, now: () => new Date(at) });
    return document.sub === customer && document.ver === version
      ? { isInForce: true, sentence: "in force" }
      : { isInForce: false, sentence: "not valid: it is of another customer or version" };
  } catch (error) {
    if (error instanceof EntitlementError)
      return { isInForce: false, sentence: `not in force: ${error.message}` };
    throw error;
  } finally {
    trust.keys.close();
  }
}
