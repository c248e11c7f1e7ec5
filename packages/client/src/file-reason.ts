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

/** Returns the reason of an error of a file, for messages: `the disk is full (ENOSPC)`. */
export function fileReason({
  code = "an error without a code",
}: {
  readonly code?: string | undefined;
}): string {
  const reason = reasons.get(code);
  return reason === undefined ? `the system reports ${code}` : `${reason} (${code})`;
}
