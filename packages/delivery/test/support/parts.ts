import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datasetStart, type PartStart } from "../../src/build/part-text.ts";
import { type ExportSource, type OutputProfile, type WrittenPart, writePart } from "../../src/index.ts";
import { profileOf } from "../../src/profiles/profile.ts";
import { anyScope } from "./scope.ts";

export type ReadPart = WrittenPart & { readonly bytes: Buffer };

export const profile = (choice: Pick<OutputProfile, "format" | "compression" | "partBytes">): OutputProfile =>
  profileOf({ id: "test", version: 1, domain: "listing", fields: "*", removalReason: false, ...choice });

/** Writes all parts of the dataset `listing`, from a start on, and reads them. Records without the key column have no keys. */
export async function partsOf(
  source: ExportSource,
  chosen: OutputProfile,
  from: PartStart = datasetStart,
  scope = anyScope,
  keyField = "ListingKey",
): Promise<readonly ReadPart[]> {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-parts-"));
  const columns = source.columns("listing", scope) ?? [];
  const checkpoint = await source.checkpoint();
  const request = { source, profile: chosen, dataset: "listing", keyField, scope, columns, checkpoint };
  const parts: ReadPart[] = [];
  try {
    for (let start: PartStart | null = from; start !== null; ) {
      const file = join(folder, String(parts.length));
      const part: WrittenPart | undefined = await writePart({ ...request, start }, file);
      if (part === undefined) break;
      parts.push({ ...part, bytes: await readFile(file) });
      start = part.end;
    }
    return parts;
  } finally {
    await rm(folder, { recursive: true });
  }
}
