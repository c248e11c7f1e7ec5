/** How far a file has been staged. */
export type FileCursor = {
  /** SHA-256 of the file, and how it was read. */
  readonly file: string;
  /** Entries that were read, rejected ones too. */
  readonly entries: number;
  /** Line of the last one. */
  readonly line: number;
  readonly done: boolean;
};

const pattern = /^file:([\da-f]{64}:\w+):(\d{1,15}):(\d{1,15}):(open|done)$/;

export const cursorText = ({ file, entries, line, done }: FileCursor): string =>
  `file:${file}:${entries}:${line}:${done ? "done" : "open"}`;

/** The cursor of an ingest; undefined for one of another kind. */
export function readCursor(text: string | null): FileCursor | undefined {
  const [, file, entries, line, state] = pattern.exec(text ?? "") ?? [];
  if (file === undefined) return undefined;
  return { file, entries: Number(entries), line: Number(line), done: state === "done" };
}
