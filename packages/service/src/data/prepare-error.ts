/** Refusal to create a database, because the folder has files that belong to a missing one. */
export class PrepareError extends Error {
  override readonly name = "PrepareError";
}
