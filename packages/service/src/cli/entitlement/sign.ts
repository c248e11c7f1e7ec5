import { randomUUID } from "node:crypto";
import {
  type Disclosure,
  type Entitlement,
  findDisclosures,
  parseEntitlement,
  type SigningKey,
  signEntitlement,
} from "@cadastre/entitlement";
import type { Catalog } from "@cadastre/reso";
import { Command } from "commander";
import { scopeOptionsOf } from "../../catalog.ts";
import { type ActionAudit, audited, issuerAudit } from "../audited.ts";
import { catalogOption } from "../catalog.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { instantText } from "./describe.ts";
import { requireSignable } from "./document-check.ts";
import { readText, replacePublic } from "./files.ts";
import { readGrantCatalog } from "./grant-catalog.ts";
import { readIssuerFile } from "./issuer-file.ts";
import { readDays } from "./option-values.ts";

const day = 86_400;

type Options = {
  readonly key: string;
  readonly catalog?: string;
  readonly out?: string;
  readonly days?: number;
  readonly strict?: true;
  readonly json?: true;
};

export const signCommand = (): Command =>
  new Command("sign")
    .description("Sign a document, and print the entitlement.")
    .argument("<document>", "file of the JSON document, or - for standard input")
    .requiredOption("--key <file>", "the private key, from keygen")
    .option("--days <number>", "days of validity, where the document has no `exp`", readDays)
    .option("--out <file>", "write the entitlement to a file")
    .addOption(catalogOption())
    .option("--strict", "do not sign if a shown field may reveal a masked one")
    .option("--json", "print JSON")
    .action(sign);

async function sign(file: string, options: Options): Promise<void> {
  const { key, out, days, strict, json } = options;
  const catalog = await readGrantCatalog(options.catalog);
  const text = await readText(file);
  await requireSignable(file, text, catalog);
  const document = complete(JSON.parse(text), days, Math.floor(Date.now() / 1000));
  if (document.exp * 1000 <= Date.now())
    throw new CommandRefused(
      `${file}: exp: ${instantText(document.exp)} has passed, so that every service refuses the entitlement: give a later time, or take \`exp\` out and say \`--days\``,
    );
  const signer = await readIssuerFile(key);
  const disclosures = tellDisclosures(document, catalog.catalog);
  if (strict && disclosures.some(({ shown }) => shown))
    throw new CommandRefused(
      "nothing is signed: a shown field may reveal a masked one; mask it, or sign without `--strict`",
    );
  const { sub, ver, jti, nbf, exp } = document;
  const jws = await signAudited(document, signer, issuerAudit(key));
  if (out !== undefined) await replacePublic(out, jws);
  if (json) printResult(JSON.stringify({ jws, kid: signer.kid, sub, ver, jti, nbf, exp, disclosures }));
  else if (out === undefined) printResult(jws);
}

/** Signs a document, records it in an audit trail, and says so. */
export async function signAudited(
  document: Entitlement,
  signer: SigningKey,
  audit: ActionAudit,
): Promise<string> {
  const { sub, ver, jti, nbf, exp } = document;
  const object = { id: jti, customer: sub, version: ver, key: signer.kid };
  const jws = await audited({ action: "entitlement.sign", object, ...audit }, () =>
    signEntitlement(document, signer),
  );
  printMessage(
    `Signed version ${ver} for ${sub} with key ${signer.kid}, from ${instantText(nbf)} until ${instantText(exp)}.`,
  );
  return jws;
}

/** Fills in the id and times that the document does not have. */
function complete(given: unknown, days: number | undefined, now: number): Entitlement {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new CommandRefused("the document is not a JSON object");
  if ("exp" in given && days !== undefined)
    throw new CommandRefused(
      "the document has an `exp`: leave out `--days`, or take `exp` out of the document",
    );
  if (!("exp" in given) && days === undefined)
    throw new CommandRefused("the document has no `exp`: say `--days`, such as `--days 90`");
  const begin = "nbf" in given && typeof given.nbf === "number" ? given.nbf : now;
  const exp = days === undefined ? {} : { exp: begin + days * day };
  return parseEntitlement({ iat: now, nbf: now, jti: randomUUID(), ...exp, ...given });
}

/** Prints to standard error which granted fields of a document reveal its masked ones, and returns them. */
export function tellDisclosures(
  document: Pick<Entitlement, "datasets">,
  catalog: Catalog,
): readonly FieldDisclosure[] {
  const disclosures = fieldDisclosures(document, catalog);
  for (const disclosure of disclosures) printMessage(disclosureText(disclosure));
  return disclosures;
}

/** A field that reveals masked ones, with all datasets where it does. */
type FieldDisclosure = Omit<Disclosure, "dataset"> & { readonly datasets: readonly string[] };

/** Returns the granted fields of a document that reveal its masked fields. */
export function fieldDisclosures(
  document: Pick<Entitlement, "datasets">,
  catalog: Catalog,
): readonly FieldDisclosure[] {
  const found = new Map<string, FieldDisclosure>();
  for (const { dataset, ...field } of findDisclosures(document, {
    entitySets: scopeOptionsOf(catalog).entitySets,
  })) {
    const name = JSON.stringify(field);
    found.set(name, { ...field, datasets: [...(found.get(name)?.datasets ?? []), dataset] });
  }
  return [...found.values()];
}

/** Returns a sentence for the issuer: what is revealed, and what to do. */
function disclosureText({ resource, field, masked, shown, datasets }: FieldDisclosure): string {
  const names = masked.map((path) => `\`${path}\``).join(", ");
  const where = `in ${datasets.length === 1 ? "dataset" : "datasets"} ${datasets.join(", ")}`;
  return shown
    ? `Warning: \`${resource}/${field}\` is shown and may reveal the masked ${names} ${where}. Mask it with \`null\`, or leave it out of \`fields\`.`
    : `Note: \`${resource}/${field}\` will read null ${where}: it contains the masked ${names}.`;
}
