import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { ManifestPart } from "@cadastre/manifest";
import { unlessMissing } from "./disk.ts";

/** Compares a file with a part: `same`, `missing`, or the first property that differs. */
export async function compareFile(
  file: string,
  part: Pick<ManifestPart, "byteLength" | "sha256">,
): Promise<"same" | "missing" | "length" | "hash"> {
  const facts = await lstat(file).catch(unlessMissing);
  if (facts === undefined) return "missing";
  // A symbolic link could lead anywhere, and change later.
  if (!facts.isFile() || facts.size !== part.byteLength) return "length";
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex") === part.sha256 ? "same" : "hash";
}
