import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { nearest } from "@cadastre/odata";
import { type Catalog, issueWords, recordNames } from "@cadastre/reso";
import { isMap, isPair, isScalar, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import { z } from "zod";
import { fileReason } from "../file-error.ts";
import { yamlFault } from "../yaml-fault.ts";
import { dateFormNames } from "./date-forms.ts";
import { IngestError } from "./ingest-error.ts";
import type { ResourceMapping, SourceMapping } from "./mapping.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);
const byField = <Type extends z.ZodType>(type: Type) => z.record(z.string(), type);

const resourceMembers = {
  rename: byField(z.string()),
  drop: z.array(z.string()),
  unknownFields: z.enum(["reject", "drop"]),
  split: byField(z.string().min(1)),
  values: byField(byField(value)),
  dates: byField(z.enum(dateFormNames)),
  defaults: byField(value),
  constants: byField(value),
} as const;

const mappingForm = z.strictObject({
  resources: z.record(z.string(), z.strictObject(resourceMembers).partial()),
});

/** A fault of a mapping file, with the path of the member. */
type MappingFault = { readonly path: readonly PropertyKey[]; readonly message: string };

/**
 * Reads a mapping file, in YAML or JSON.
 *
 * @throws {IngestError} with a line for each fault of the file: line, column, what is wrong and what is allowed
 */
export async function readMapping(catalog: Catalog, file: string): Promise<SourceMapping> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new IngestError(`${file} cannot be read: ${fileReason(cause)}`, { cause });
  });
  return parseMapping(catalog, text, file);
}

/** @throws {IngestError} see {@link readMapping} */
export function parseMapping(catalog: Catalog, text: string, file: string): SourceMapping {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const refuse = (faults: readonly { readonly offset: number; readonly message: string }[]): never => {
    const told = faults
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, message }) => {
        const { line, col } = lines.linePos(offset);
        return `${file}:${line}:${col}: ${message}`;
      });
    throw new IngestError(told.join("\n"));
  };
  if (document.errors.length > 0)
    refuse(document.errors.map((fault) => ({ offset: fault.pos[0], message: yamlFault(document, fault) })));
  const read = mappingForm.safeParse(document.toJS(), { error: issueWords });
  const faults = read.success
    ? Object.entries(read.data.resources).flatMap(([name, rules]) => fieldFaults(catalog, name, rules))
    : read.error.issues.flatMap(issueFaults);
  if (faults.length > 0 || !read.success)
    return refuse(
      faults.map(({ path, message }) => ({ offset: offsetOf(document.contents, path), message })),
    );
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { catalog, resources: read.data.resources, sha256 };
}

/** Returns the position of the member of a path: of its name, or else of its value. */
function offsetOf(root: ParsedNode | null, path: readonly PropertyKey[]): number {
  let node: Node | null = root;
  let offset = root?.range[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
      );
      const key = pair?.key as Node | undefined;
      if (pair === undefined || key === undefined) break;
      offset = key.range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else break;
  }
  return offset;
}

function issueFaults(issue: z.core.$ZodIssue): readonly MappingFault[] {
  if (issue.code !== "unrecognized_keys")
    return [
      {
        path: issue.path,
        message:
          issue.path.length === 0
            ? `the file ${issue.message}, of which \`resources\` is one`
            : `\`${issue.path.map(String).join(".")}\`: ${issue.message}`,
      },
    ];
  const allowed = issue.path.length === 0 ? ["resources"] : Object.keys(resourceMembers);
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: unknown(`unknown member \`${key}\``, key, allowed, true),
  }));
}

/** Returns the faults of a resource's mapping: names that the resource does not have. */
function fieldFaults(catalog: Catalog, name: string, rules: ResourceMapping): readonly MappingFault[] {
  const known = recordNames.find((one) => one === name);
  const at = ["resources", name];
  if (known === undefined)
    return [{ path: at, message: unknown(`unknown resource \`${name}\``, name, recordNames, true) }];
  const fields = new Map(catalog.fieldsOf(known).map((field) => [field.name, field]));
  const { rename = {}, split = {}, values = {}, dates = {}, defaults = {}, constants = {} } = rules;
  const named = [
    ...Object.entries(rename).map(([source, field]) => ({ path: ["rename", source], field })),
    ...Object.entries({ split, values, dates, defaults, constants }).flatMap(([member, by]) =>
      Object.keys(by).map((field) => ({ path: [member, field], field })),
    ),
  ];
  const faults = named
    .filter(({ field }) => !fields.has(field))
    .map(({ path, field }) => ({
      path: [...at, ...path],
      message: unknown(`${name} has no field \`${field}\``, field, fields.keys(), false),
    }));
  const twice = Object.entries(rename).filter(
    ([, field], i, all) => all.findIndex(([, other]) => other === field) < i,
  );
  return [
    ...faults,
    ...twice.map(([source, field]) => ({
      path: [...at, "rename", source],
      message: `\`${field}\` is the new name of another field already`,
    })),
    ...systemFaults(catalog, rules).map(({ path, message }) => ({ path: [...at, ...path], message })),
    ...Object.keys(split)
      .filter((field) => fields.get(field)?.collection === false)
      .map((field) => ({
        path: [...at, "split", field],
        message: `\`${field}\` is no collection: it holds one value`,
      })),
  ];
}

/** Field whose value must be the name of a system of the catalog. */
const systemField = "OriginatingSystemName";

/** Returns the faults of a resource's mapping that gives records the name of a system that there is not. */
function systemFaults(
  { systems }: Catalog,
  { values, defaults, constants }: ResourceMapping,
): readonly MappingFault[] {
  const names = systems.map(({ name }) => name);
  const given = [
    ...Object.entries(values?.[systemField] ?? {}).map(([from, to]) => ({
      path: ["values", systemField, from],
      to,
    })),
    ...Object.entries({ defaults, constants }).flatMap(([member, by]) =>
      by !== undefined && Object.hasOwn(by, systemField)
        ? [{ path: [member, systemField], to: by[systemField] }]
        : [],
    ),
  ];
  return given.flatMap(({ path, to }) => {
    const name = String(to);
    return names.includes(name)
      ? []
      : [{ path, message: unknown(`no system is called \`${name}\``, name, names, true) }];
  });
}

/** Returns a message with the closest allowed name, and all of them if they are few. */
function unknown(what: string, name: string, allowed: Iterable<string>, listsAll: boolean): string {
  const meant = nearest(name, allowed);
  const suggestion = meant === undefined ? "" : `: did you mean \`${meant}\`?`;
  return listsAll
    ? `${what}${suggestion}${meant === undefined ? ":" : ""} allowed are ${[...allowed].join(", ")}`
    : `${what}${suggestion}`;
}
