import { entitySet, resource } from "@cadastre/reso";
import type { Builds } from "@cadastre/store";
import { exceeds, lossText, setName } from "../gates/shrink.ts";
import type { Ingest } from "./ingest.ts";
import { IngestError } from "./ingest-error.ts";
import { readers } from "./read-records.ts";

/**
 * Reads the keys of a full set before anything of it is staged. They are kept in memory.
 *
 * @throws {IngestError} if the set leaves out more of the source's records than may be removed
 */
export async function requireEnough({
  store,
  resource: name,
  source,
  input,
  format,
  maxShrink,
}: Pick<Ingest, "store" | "resource" | "source" | "input" | "format" | "maxShrink">): Promise<void> {
  const { builds } = store;
  const [first] = await builds.keys(name, source.name);
  if (first === undefined) return;
  const { key } = resource(name);
  const named = new Set<string>();
  for await (const entry of readers[format](
    input.read(() => {}),
    entitySet(name),
  ))
    if ("record" in entry && typeof entry.record[key] === "string") named.add(entry.record[key]);
  // Without any key the file is refused for what else is wrong with it.
  if (named.size === 0) return;
  const loss = { before: 0, removed: 0 };
  for await (const keys of ownKeys(builds, name, source.name)) {
    loss.before += keys.length;
    loss.removed += keys.filter((one) => !named.has(one)).length;
  }
  if (exceeds(loss, maxShrink))
    throw new IngestError(
      `${lossText(setName(name, source.name), loss, maxShrink)}. Nothing of ${input.name} is staged. If they are to be removed, ingest it with --allow-shrink`,
    );
}

/** Keys of a source's records as a publication would leave them, in groups. */
export async function* ownKeys(
  builds: Pick<Builds, "keys">,
  resource: string,
  source: string,
): AsyncGenerator<readonly string[]> {
  for (let after: readonly unknown[] | undefined; ; ) {
    const keys = await builds.keys(resource, source, after);
    if (keys.length === 0) return;
    yield keys.map(([key]) => String(key));
    after = keys.at(-1);
  }
}
