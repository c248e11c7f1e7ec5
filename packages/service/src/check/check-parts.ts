import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { partPath } from "@cadastre/delivery";
import { hashFile } from "../backup/copy-file.ts";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { openRegistryAudit, type ServiceAudit } from "../data/registry.ts";
import { faultOfPlace, partsRoot } from "../delivery/parts-place.ts";
import type { Finding } from "./findings.ts";

/** Called with the bytes and files that were read so far. */
export type PartsProgress = (bytes: number, files: number) => void;

/** Reads every part that the registry lists, and finds files that it does not list. Parts in a bucket are not checked. */
export async function* checkParts(
  audit: ServiceAudit,
  folder: DataFolder,
  { partsFolder, partsBucket }: Pick<Config, "partsFolder" | "partsBucket">,
  progress: PartsProgress,
): AsyncGenerator<Finding> {
  if (partsBucket !== undefined) return;
  const root = partsRoot({ partsFolder }, folder);
  const id = await audit.id();
  const fault = id && (await faultOfPlace(root, id, audit));
  // The folder belongs to another registry, so its files say nothing about this one.
  if (fault) {
    yield { code: "parts_foreign", subject: root, detail: fault };
    return;
  }
  /** Asks the registry again: a running service may have changed it since the check began. */
  const now = async <T>(ask: (audit: ServiceAudit) => Promise<T>): Promise<T> => {
    const fresh = await openRegistryAudit(folder);
    try {
      return await ask(fresh);
    } finally {
      await fresh.close();
    }
  };
  let [files, bytes] = [0, 0];
  for await (const { sha256, byteLength, delivery, number } of audit.parts()) {
    const file = join(root, partPath(sha256));
    const detail = `part ${number} of delivery ${delivery}`;
    const found = await hashFile(file).catch(absent);
    bytes += byteLength;
    progress(bytes, ++files);
    if (found === undefined) {
      if (await now((fresh) => fresh.needsPart(sha256)))
        yield { code: "part_missing", subject: file, detail };
    } else if (found.sha256 !== sha256 || found.bytes !== byteLength)
      yield { code: "part_damaged", subject: file, detail };
  }
  for await (const { name, file } of partFiles(join(root, "parts")))
    if (
      !(await audit.knowsBytes(name)) &&
      !(await now((fresh) => fresh.knowsBytes(name))) &&
      existsSync(file)
    )
      yield { code: "part_orphaned", subject: file, detail: "the registry does not list it" };
}

async function* partFiles(folder: string): AsyncGenerator<{ readonly name: string; readonly file: string }> {
  if (!existsSync(folder)) return;
  for (const shard of await readdir(folder, { withFileTypes: true })) {
    const place = join(folder, shard.name);
    const names = shard.isDirectory() ? await readdir(place) : [];
    for (const name of names) yield { name, file: join(place, name) };
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
