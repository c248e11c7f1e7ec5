export { fileReason } from "@cadastre/client/terminal";

/** Error of a file system call. */
export type FileError = Error & { readonly code: string; readonly path?: string };

export const isFileError = (error: unknown): error is FileError =>
  error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
