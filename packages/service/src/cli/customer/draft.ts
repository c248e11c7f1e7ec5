import { randomUUID } from "node:crypto";
import type { Entitlement } from "@cadastre/entitlement";
import type { Config } from "../../config.ts";
import { requireSignable } from "../entitlement/document-check.ts";
import { readText } from "../entitlement/files.ts";
import type { GrantCatalog } from "../entitlement/grant-catalog.ts";
import {
  type DraftEntitlement,
  documentOf,
  noEnd,
  placeholderCustomer,
} from "../entitlement/new-document.ts";
import type { TemplateName } from "../entitlement/templates.ts";
import { CommandRefused, WrongUsage } from "../outcome.ts";

/** Options that say what a customer is to see: a template with its systems, or a file. */
export type DraftOptions = {
  readonly template?: TemplateName;
  readonly systems?: readonly string[];
  readonly regions?: readonly { readonly kind: string; readonly value: string }[];
  /** File of a document to use in place of a template. */
  readonly edit?: string;
  /** End of the entitlement, in milliseconds since 1970. */
  readonly expires?: number;
};

/** Validity of a document for which nobody says another, in seconds. */
const usualLife = 90 * 86_400;

type Draft = { readonly document: DraftEntitlement; readonly exp?: number | undefined };

/** Customer and version that a document is completed for. */
export type DraftTarget = {
  readonly customer: string;
  /** Its version, whatever a file has. */
  readonly version: number;
  /** The document that is in force, for a customer that has one. */
  readonly present?: Entitlement;
};

/**
 * Returns the complete document of a customer, as the options say. It ends when the options, else the file, else the present document say.
 *
 * @throws {WrongUsage} if the options do not fit together, or the document has faults
 */
export async function completeDocument(
  target: DraftTarget,
  options: DraftOptions,
  config: Config,
  catalog: GrantCatalog,
): Promise<Entitlement> {
  const { document, exp } = await draftOf(target, options, config, catalog);
  const { customer, version, present } = target;
  const now = Math.floor(Date.now() / 1000);
  const chosen = options.expires === undefined ? exp : Math.floor(options.expires / 1000);
  const until = present !== undefined && present.exp > now ? present.exp : now + usualLife;
  return {
    ...document,
    sub: customer,
    ver: version,
    iat: now,
    nbf: now,
    exp: chosen ?? until,
    jti: randomUUID(),
  };
}

async function draftOf(
  target: DraftTarget,
  options: DraftOptions,
  config: Config,
  catalog: GrantCatalog,
): Promise<Draft> {
  if (options.edit !== undefined) return fromFile(options.edit, target.customer, options, catalog);
  const { template, systems, regions, expires } = options;
  const isRenewal =
    [template, systems, regions].every((option) => option === undefined) && expires !== undefined;
  return target.present !== undefined && isRenewal
    ? { document: target.present }
    : { document: await fromTemplate(target, options, config, catalog) };
}

async function fromTemplate(
  { customer, version }: DraftTarget,
  { template, systems, regions }: DraftOptions,
  config: Config,
  catalog: GrantCatalog,
): Promise<DraftEntitlement> {
  if (template === undefined || systems === undefined)
    throw new WrongUsage(
      "say what the customer is to see: `--template` and `--systems`, or `--edit` with the file of a document",
    );
  return documentOf({ template, customer, version, systems, regions }, config, catalog);
}

async function fromFile(
  file: string,
  customer: string,
  { template, systems, regions }: DraftOptions,
  catalog: GrantCatalog,
): Promise<Draft> {
  if (template !== undefined || systems !== undefined || regions !== undefined)
    throw new WrongUsage(
      "`--edit` names a document that says everything: leave out `--template`, `--systems` and `--regions`, or `--edit`",
    );
  const document = await requireSignable(file, await readText(file), catalog, Date.now());
  if (![customer, placeholderCustomer].includes(document.sub))
    throw new CommandRefused(
      `${file} is the document of another customer, \`${document.sub}\`: put \`${customer}\` in its \`sub\``,
    );
  const { iat: _, nbf: _1, jti: _2, exp, ...draft } = document;
  return { document: draft, exp: exp === noEnd ? undefined : exp };
}
