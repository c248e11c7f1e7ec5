import { statSync } from "node:fs";

export { fileReason } from "@cadastre/client/terminal";

/** Error of a file system call. */
export type FileError = Error & { readonly code: string; readonly path?: string };

/** True if something is at the path. @throws {FileError} if a folder on the way may not be entered: what is in it is not known then */
export const pathExists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

export const isFileError = (error: unknown): error is FileError =>
  error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
