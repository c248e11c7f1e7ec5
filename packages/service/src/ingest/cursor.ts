/** Position up to which a file has been staged. */
export type FileCursor = {
  /** SHA-256 of the file, mode, and hash of rounding, mapping and accepted values: `<hash>:full_<hash>`. A file is read again if any of them differs. */
  readonly file: string;
  /** Number of entries that were read, including rejected ones. */
  readonly entries: number;
  /** Line of the last entry. */
  readonly line: number;
  readonly done: boolean;
};

const pattern = /^file:([\da-f]{64}:\w+):(\d{1,15}):(\d{1,15}):(open|done)$/;

export const formatFileCursor = ({ file, entries, line, done }: FileCursor): string =>
  `file:${file}:${entries}:${line}:${done ? "done" : "open"}`;

/** Parses the cursor of an ingest. Undefined for other cursors, such as those of a replication. */
export function parseFileCursor(text: string | null): FileCursor | undefined {
  const [, file, entries, line, state] = pattern.exec(text ?? "") ?? [];
  if (file === undefined) return undefined;
  return { file, entries: Number(entries), line: Number(line), done: state === "done" };
}
