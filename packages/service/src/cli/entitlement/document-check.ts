import { type Entitlement, type EntitlementFault, findFaults } from "@cadastre/entitlement";
import { nearest } from "@cadastre/odata/tree";
import { CommandRefused, printMessage } from "../outcome.ts";
import type { GrantCatalog } from "./grant-catalog.ts";
import { type JsonText, readJsonText, type TextPosition } from "./json-text.ts";
import { withTimes } from "./new-document.ts";
import { listedNames, regionWarnings } from "./region-warnings.ts";

/** A finding about a member of a document's text. */
export type DocumentFinding = TextPosition & {
  /** `fault`: a service refuses the document. `warning`: it grants less than it seems to. */
  readonly severity: "fault" | "warning";
  /** Path of the member, with dots between. */
  readonly path: string;
  readonly code?: string;
  readonly message: string;
  readonly allowed: readonly string[];
  readonly suggestion?: string;
};

/** Result of a check. `document` is undefined if the document has faults. */
export type DocumentCheck = {
  readonly findings: readonly DocumentFinding[];
  readonly document: Entitlement | undefined;
};

/**
 * Checks the text of a document before it is signed: `sign` fills in its id and its times if it has none.
 *
 * @param at time at which the document is to be in force at the service, in milliseconds since 1970. Without it an expired document is no
 * fault, and one for another service is only warned of
 */
export async function checkDocument(
  text: string,
  catalog: GrantCatalog,
  at?: number,
): Promise<DocumentCheck> {
  const json = readJsonText(text);
  const ofText = json.faults.map((fault) => ({ severity: "fault", allowed: [], ...fault }) as const);
  if (json.value === undefined) return { findings: ofText, document: undefined };
  const isObject = typeof json.value === "object" && json.value !== null && !Array.isArray(json.value);
  const document = isObject ? withTimes(json.value as object) : json.value;
  const faults = findFaults(document, {
    ...catalog.scopeOptions,
    ...(at !== undefined && { at: at / 1000 }),
  });
  const ofDocument = faults.map((fault) => findingOf(fault, json, catalog));
  const ofNames = nameFindings(document, json, catalog, at === undefined ? "warning" : "fault");
  const warnings = faults.length === 0 ? await regionFindings(document as Entitlement, json, catalog) : [];
  const findings = [...ofText, ...ofNames, ...ofDocument, ...warnings];
  const isValid = findings.every(({ severity }) => severity === "warning");
  return { findings, document: isValid ? (document as Entitlement) : undefined };
}

/**
 * Checks the text of a document, and prints warnings to standard error.
 *
 * @param at see {@link checkDocument}
 * @throws {CommandRefused} with a line for each finding, if the document has faults
 */
export async function requireSignable(
  file: string,
  text: string,
  catalog: GrantCatalog,
  at?: number,
): Promise<Entitlement> {
  const { document, findings } = await checkDocument(text, catalog, at);
  const lines = findings.map((finding) => findingLine(file, finding));
  if (document === undefined) throw new CommandRefused(lines.join("\n"));
  for (const line of lines) printMessage(line);
  return document;
}

/** Compares the names of the issuer and the service with those that the service on this machine trusts. */
function nameFindings(
  document: unknown,
  json: JsonText,
  { service }: GrantCatalog,
  severity: DocumentFinding["severity"],
): readonly DocumentFinding[] {
  if (service === undefined) return [];
  return trustedMembers.flatMap(({ member, code, message }): readonly DocumentFinding[] => {
    const [given, trusted] = [valueAt(document, [member]), service[member]];
    // A value of another type is a fault of its form.
    if (typeof given !== "string" || given === trusted) return [];
    const similar = nearest(given, [trusted]);
    return [
      {
        ...json.positionOf([member]),
        severity,
        path: member,
        code,
        message: `\`${given}\` ${message}`,
        allowed: [trusted],
        ...(similar !== undefined && { suggestion: similar }),
      },
    ];
  });
}

/** Members that must be equal to a name of the service, in the order of a document. */
const trustedMembers = [
  { member: "iss", code: "entitlement_issuer", message: "is not the issuer that this service trusts" },
  { member: "aud", code: "entitlement_audience", message: "is not the name of this service" },
] as const;

function findingOf(fault: EntitlementFault, json: JsonText, catalog: GrantCatalog): DocumentFinding {
  const { path, code, message, allowed, suggestion } = fault;
  const isDataset = path.at(-1) === "dataset_id";
  const systems = catalog.systems.map(({ id, datasetId }) => `${datasetId} (${id})`);
  const similar = isDataset ? datasetLike(valueAt(json.value, path), catalog) : suggestion;
  return {
    ...json.positionOf(path),
    severity: "fault",
    path: path.join("."),
    code,
    message,
    allowed: isDataset ? systems : allowed,
    ...(similar !== undefined && { suggestion: similar }),
  };
}

const valueAt = (value: unknown, path: EntitlementFault["path"]): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[step] : undefined,
    value,
  );

/** Returns the dataset of the system whose id, name or dataset is most similar to what was written as a dataset. */
function datasetLike(given: unknown, { systems }: GrantCatalog): string | undefined {
  if (typeof given !== "string") return undefined;
  const names = new Map(
    systems.flatMap(({ id, name, datasetId }) =>
      [id, name, datasetId].map((text) => [text, datasetId] as const),
    ),
  );
  return names.get(nearest(given, names.keys()) ?? given);
}

const regionFindings = async (
  document: Entitlement,
  json: JsonText,
  catalog: GrantCatalog,
): Promise<readonly DocumentFinding[]> =>
  (await regionWarnings(document, catalog)).map(({ path, ...warning }) => ({
    ...json.positionOf(path),
    ...warning,
    severity: "warning",
    path: path.join("."),
  }));

/** Returns a finding as a line: file, position, member, what is wrong and what is allowed. */
export function findingLine(file: string, finding: DocumentFinding): string {
  const { line, column, severity, path, message, allowed, suggestion } = finding;
  const similar = suggestion === undefined ? "" : `; did you mean \`${suggestion}\`?`;
  const all = allowed.length === 0 ? "" : `; allowed: ${listedNames(allowed)}`;
  return `${file}:${line}:${column}: ${severity === "warning" ? "warning: " : ""}${path === "" ? "document" : path}: ${message}${similar}${all}`;
}
