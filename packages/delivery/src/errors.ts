/** What may go wrong with an export, with the sentence that says what to do. */
const messages = {
  /** A line of the source is no JSON object on one line with its members in the order of the columns. */
  invalid_record: "the source gave a record that is not of its columns: correct the source",
  /** A number has more digits than its column, which Parquet would round. */
  decimal_out_of_range: "a decimal has more digits than its column: correct the record, or export it as text",
  /** A file of profiles does not fit its schema. */
  invalid_profile: "the output profile is not valid",
  /** `@duckdb/node-api` is not installed. */
  parquet_unavailable: "Parquet needs @duckdb/node-api: install the version that this package names",
  /** Other versions write other bytes. */
  parquet_writer_version: "another version of DuckDB is installed: install the one that this package names",
  parquet_failed: "DuckDB could not write the part",
} as const;

export type DeliveryErrorCode = keyof typeof messages;

/** An export cannot be made, or is refused. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly code: DeliveryErrorCode;

  /** @param detail what is at fault, for the log: it names columns and files, and quotes no data */
  constructor(code: DeliveryErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? messages[code] : `${messages[code]}: ${detail}`, options);
    this.code = code;
  }
}
