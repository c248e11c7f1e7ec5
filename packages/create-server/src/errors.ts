/** A server that cannot be created. The message says why, and what to do; it has no password. */
export class CreateServerError extends Error {
  override readonly name = "CreateServerError";
}
