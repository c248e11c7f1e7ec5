import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";

/** Delivery error codes, for the operator, by the error code of the file system. */
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

/** True if the error says that the file does not exist. */
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

/** Translates an error of the file system into a `DeliveryError`. Returns any other error unchanged. */
export function asStorageFault(error: unknown, otherwise?: DeliveryErrorCode): unknown {
  const code = isSystemError(error) ? codeOf(error) : undefined;
  const meaning = code === undefined ? undefined : (codes[code] ?? otherwise);
  // The message names paths, so it goes to the log only (as the cause).
  return meaning === undefined ? error : new DeliveryError(meaning, code, { cause: error });
}

const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

/** Runs work on the files of parts, and translates its errors into those of deliveries. */
export const onFiles = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw asStorageFault(error, "parts_unavailable");
  });

/** Runs work that writes files among other things. System errors that are not about writing are thrown unchanged. */
export const writing = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw asStorageFault(error);
  });
