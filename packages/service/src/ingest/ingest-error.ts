/** What is to be ingested cannot be, as a whole. The message says why and what to do. */
export class IngestError extends Error {
  override readonly name = "IngestError";
}
