import { ClientError } from "../errors.ts";
import { type PartFile, readPart } from "./read-part.ts";
import { isTextual, type SchemaColumn } from "./schema.ts";

/**
 * Reads the records of a part as JSON texts with values of the types of the schema. Cells of CSV are all texts: those of other types are
 * JSON texts themselves.
 *
 * @throws {ClientError} `part_malformed`, and those of `readPart`
 */
export async function* nativeLines(
  part: PartFile,
  columns: readonly SchemaColumn[],
): AsyncGenerator<readonly string[]> {
  if (part.profile.format !== "csv") {
    yield* readPart(part);
    return;
  }
  const textual = new Set(columns.filter(isTextual).map(({ name }) => name));
  let row = 0;
  for await (const lines of readPart(part))
    yield lines.map((line) => {
      row++;
      const cells = Object.entries(JSON.parse(line) as Readonly<Record<string, string>>);
      const members = cells.map(([name, cell]) => {
        const isText = textual.has(name) || name === "removalReason";
        if (!isText && !isJson(cell))
          throw new ClientError("part_malformed", { part: String(part.part.number), row: String(row) });
        return `${JSON.stringify(name)}:${isText ? JSON.stringify(cell) : cell}`;
      });
      return `{${members.join(",")}}`;
    });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
