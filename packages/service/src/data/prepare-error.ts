/** The folder has files that belong to a missing database, so no new database is created. */
export class PrepareError extends Error {
  override readonly name = "PrepareError";
}
