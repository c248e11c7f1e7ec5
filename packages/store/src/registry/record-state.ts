/** The state of a record as a customer sees it. */
export type RecordState = {
  readonly resource: string;
  readonly key: string;
  /** The key as it is written in an address; null if that is the same text. */
  readonly keyInAddress: string | null;
  /** Hash of the values; {@link unknownHash} if they are other ones than before, and null if the record is gone. */
  readonly hash: string | null;
};

/** Hash of values that are only known to be other ones than those before. No other values have it, nor do the same ones the next time. */
export const unknownHash = "";
