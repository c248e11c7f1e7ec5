import { type Entitlement, type EntitlementFault, findFaults } from "@cadastre/entitlement";
import { nearest } from "@cadastre/odata/tree";
import type { GrantCatalog } from "./grant-catalog.ts";
import { type JsonText, readJsonText, type TextPosition } from "./json-text.ts";
import { withTimes } from "./new-document.ts";

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
 * @param at time of the check, in milliseconds since 1970. Without it an expired document is no fault
 */
export function checkDocument(text: string, catalog: GrantCatalog, at?: number): DocumentCheck {
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
  const warnings = faults.length === 0 ? warningsOf(document as Entitlement, json, catalog) : [];
  const isValid = ofText.length === 0 && faults.length === 0;
  return {
    findings: [...ofText, ...ofDocument, ...warnings],
    document: isValid ? (document as Entitlement) : undefined,
  };
}

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

/** Warns of regions in which no record can lie. */
function warningsOf(
  { regions }: Entitlement,
  json: JsonText,
  catalog: GrantCatalog,
): readonly DocumentFinding[] {
  const { states, systems } = catalog;
  const systemNames = systems.map(({ name }) => name);
  return regions.flatMap(({ kind, value }, i): readonly DocumentFinding[] => {
    const [known, given] =
      kind === "originating_system"
        ? [systemNames, value]
        : kind === "state" || kind === "county"
          ? [states, value.slice(0, 2)]
          : [[value], value];
    if (known.includes(given)) return [];
    const suggestion = nearest(given, known);
    const path = ["regions", i, "value"];
    return [
      {
        ...json.positionOf(path),
        severity: "warning",
        path: path.join("."),
        message: `no record lies in \`${value}\``,
        allowed: known,
        ...(kind === "originating_system" && suggestion !== undefined && { suggestion }),
      },
    ];
  });
}

/** Most names that are listed in a line. */
const mostListed = 60;

/** Returns a finding as a line: file, position, member, what is wrong and what is allowed. */
export function findingLine(file: string, finding: DocumentFinding): string {
  const { line, column, severity, path, message, allowed, suggestion } = finding;
  const similar = suggestion === undefined ? "" : `; did you mean \`${suggestion}\`?`;
  const more = allowed.length > mostListed ? ` … (${allowed.length} names)` : "";
  const listed = allowed.slice(0, allowed.length > mostListed ? 5 : mostListed).join(", ");
  const all = allowed.length === 0 ? "" : `; allowed: ${listed}${more}`;
  return `${file}:${line}:${column}: ${severity === "warning" ? "warning: " : ""}${path === "" ? "document" : path}: ${message}${similar}${all}`;
}
