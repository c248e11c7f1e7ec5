import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";

/** What the file system says, and what it means for who runs the service. */
const codes: Readonly<Record<string, DeliveryErrorCode>> = {
  ENOSPC: "parts_full",
  EDQUOT: "parts_full",
  EFBIG: "parts_full",
  EROFS: "parts_not_writable",
  EACCES: "parts_not_writable",
  EPERM: "parts_not_writable",
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Whether an error says that there is no such file. */
export const isAbsent = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** Error codes of a read that concern a single file, not the whole disk. */
const unreadable: ReadonlySet<string | undefined> = new Set(["EIO", "EISDIR"]);

/** Reads a part from its file. An error of this file alone becomes `part_missing` or `part_damaged`. */
export const onPart = <T>(sha256: string, work: () => Promise<T>): Promise<T> =>
  onFiles(() =>
    work().catch((cause: unknown) => {
      if (isAbsent(cause)) throw new DeliveryError("part_missing", sha256, { cause });
      const code = codeOf(cause);
      throw unreadable.has(code) ? new DeliveryError("part_damaged", `${sha256}: ${code}`, { cause }) : cause;
    }),
  );

/** An error of the file system as one of deliveries; any other as it is. */
export function asStorageFault(error: unknown, otherwise?: DeliveryErrorCode): unknown {
  const code = isSystemError(error) ? codeOf(error) : undefined;
  const meaning = code === undefined ? undefined : (codes[code] ?? otherwise);
  // Its message names paths: it is for the log.
  return meaning === undefined ? error : new DeliveryError(meaning, code, { cause: error });
}

const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

/** Work on the files of parts, whose errors are those of deliveries. */
export const onFiles = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw asStorageFault(error, "parts_unavailable");
  });

/** Work that writes files among other things: what else fails of the system is not theirs. */
export const writing = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw asStorageFault(error);
  });
