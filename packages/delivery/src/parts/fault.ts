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

/** An error of the file system as one of deliveries; any other as it is. */
export function asStorageFault(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof DeliveryError || !isSystemError(error)) return error;
  // Its message names paths: it is for the log.
  return new DeliveryError(codes[code] ?? "parts_unavailable", code, { cause: error });
}

const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

/** Work on files, whose errors are those of deliveries. */
export const onFiles = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw asStorageFault(error);
  });
