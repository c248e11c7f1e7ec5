import { createReadStream } from "node:fs";
import { mkdir, open, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing, writeAtomically } from "../fetch/disk.ts";
import { withLock } from "../fetch/lock.ts";
import { requireFolder } from "../load/folder.ts";
import { type Replica, type ReplicaPage, replicaPosition } from "./replica.ts";
import { lastModifiedOf } from "./sql-replica.ts";

const folderState = z.object({
  modified: z.string().nullable(),
  /** Bytes of the file of lines that are applied. */
  length: z.int().nonnegative(),
  position: replicaPosition.nullable().default(null),
  /** Length of the file when the walk began. */
  walkedFrom: z.int().nonnegative().default(0),
});
type FolderState = z.output<typeof folderState>;

const begun: FolderState = { modified: null, length: 0, position: null, walkedFrom: 0 };

/**
 * Returns a replica with one file of JSON lines for each entity set. A later line replaces an earlier one with the same key, and one with
 * `@removed` removes it.
 */
export async function folderReplica(folder: string): Promise<Replica> {
  await requireFolder(folder);
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  /** States that this replica has read or written, by entity set. */
  const known = new Map<string, FolderState | undefined>();
  const files = (resource: string) => ({
    lines: join(folder, `${resource}.jsonl`),
    state: join(folder, `${resource}.state.json`),
  });
  return {
    state: async (resource) => {
      const found = await readState(files(resource).state, files(resource).lines);
      known.set(resource, found);
      return found && { modified: found.modified, position: found.position, isLost: false };
    },
    apply: (resource, page) =>
      asReplicaLock(
        withLock(files(resource).lines, async () => {
          const { lines, state: stateFile } = files(resource);
          const before = await readState(stateFile, lines);
          if (JSON.stringify(before) !== JSON.stringify(known.get(resource)))
            throw new ClientError("replica_in_use");
          const [after, removed] = await onDisk(lines, () => append(lines, stateFile, before, page));
          known.set(resource, folderState.parse(after));
          return removed;
        }),
      ),
    close: async () => {},
  };
}

/** Appends the lines of a page, and then writes the state, which makes them count. */
async function append(
  lines: string,
  stateFile: string,
  before: FolderState | undefined,
  page: ReplicaPage,
): Promise<readonly [after: FolderState, removed: number]> {
  // Written before the first lines, so that the next run recognises the lines of an interrupted run as its own.
  if (before === undefined) await writeAtomically(stateFile, JSON.stringify(begun));
  const { length, modified, walkedFrom: from } = before ?? begun;
  const walkedFrom = page.begins ? length : from;
  const others = await othersIn(lines, { length, walkedFrom }, page);
  const texts = [
    ...page.changes.map((change) =>
      "removed" in change ? removalLine(page.keyField, change.removed) : change.json,
    ),
    ...others.map((key) => removalLine(page.keyField, key)),
  ];
  const text = Buffer.from(texts.map((line) => `${line}\n`).join(""));
  const handle = await open(lines, "a");
  try {
    // Removes the lines of a page that was interrupted.
    await truncate(lines, length);
    await handle.appendFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const after: FolderState = {
    modified: lastModifiedOf(page) ?? modified,
    length: length + text.length,
    position: page.position,
    walkedFrom,
  };
  await writeAtomically(stateFile, JSON.stringify(after));
  return [after, others.length];
}

/** Returns the line that removes a record, in the form of a delta. Source: OData JSON Format 4.01, section 15.3. */
const removalLine = (keyField: string, key: string): string =>
  JSON.stringify({ "@removed": { reason: "deleted" }, [keyField]: key });

/** Returns the keys of the records in the file that a page does not keep. */
async function othersIn(
  lines: string,
  { length, walkedFrom }: Pick<FolderState, "length" | "walkedFrom">,
  { keyField, keeps, changes }: ReplicaPage,
): Promise<readonly string[]> {
  if (keeps === undefined || length === 0) return [];
  const kept = keeps === "walked" ? await keysIn(lines, walkedFrom, length, keyField) : keeps;
  const met = new Set(changes.flatMap((change) => ("key" in change ? [change.key] : [])));
  const others: string[] = [];
  for (const key of await keysIn(lines, 0, length, keyField))
    if (!kept.has(key) && !met.has(key)) others.push(key);
  return others;
}

/** Returns the keys of the records that the lines of a part of the file leave. */
async function keysIn(
  file: string,
  from: number,
  to: number,
  keyField: string,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  if (from >= to) return keys;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of createReadStream(file, { start: from, end: to - 1 }) as AsyncIterable<Buffer>) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line = JSON.parse(part) as Readonly<Record<string, unknown>>;
      const key = String(line[keyField]);
      if ("@removed" in line) keys.delete(key);
      else keys.add(key);
    }
  }
  return keys;
}

/** Names the copy in place of its lock file. */
async function asReplicaLock<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ClientError && error.code === "staging_in_use")
      throw new ClientError("replica_in_use");
    throw error;
  }
}

/**
 * @returns undefined if there is no copy
 * @throws {ClientError} `file_occupied` if there are lines without a state file, which must be someone else's; `state_malformed` if the
 * file of lines is shorter than the state file says
 */
async function readState(file: string, lines: string): Promise<FolderState | undefined> {
  const text = await readFile(file, "utf8").catch(unlessMissing);
  if (text === undefined) {
    const facts = await onDisk(lines, () => stat(lines).catch(unlessMissing));
    if (facts !== undefined && facts.size > 0) throw new ClientError("file_occupied", { file: lines });
    return undefined;
  }
  const known = parseState(text);
  if (known === undefined) throw new ClientError("state_malformed", { file });
  // Lost lines would never be fetched again, since only newer records are.
  if (known.length > ((await onDisk(lines, () => stat(lines).catch(unlessMissing)))?.size ?? 0))
    throw new ClientError("state_malformed", { file });
  return known;
}

function parseState(text: string): FolderState | undefined {
  try {
    return folderState.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
