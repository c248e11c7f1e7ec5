/** Error for an input that is refused as a whole. The message says why and what to do. */
export class IngestError extends Error {
  override readonly name = "IngestError";
}
