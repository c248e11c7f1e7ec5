/** Human-readable reasons by the error code of the operating system. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["EEXIST", "it is there already and is not replaced; name another file, or move it away"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "its folder is a file"],
  ["ENAMETOOLONG", "its name is too long"],
  ["EACCES", "the rights are missing"],
  ["EPERM", "the rights are missing"],
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
]);

/** Error of a file system call. */
export type FileError = Error & { readonly code: string; readonly path?: string };

export const isFileError = (error: unknown): error is FileError =>
  error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";

/** Returns the reason of an error, for messages: `the disk is full (ENOSPC)`. */
export function fileReason({
  code = "an error without a code",
}: {
  readonly code?: string | undefined;
}): string {
  const reason = reasons.get(code);
  return reason === undefined ? `the system reports ${code}` : `${reason} (${code})`;
}
