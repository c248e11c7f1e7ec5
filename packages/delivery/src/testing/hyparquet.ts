import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

export const arrayBufferOf = ({ buffer, byteOffset, length }: Buffer): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;

/** Reads the rows of a Parquet file with hyparquet. */
export const readByHyparquet = (bytes: Buffer): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  parquetReadObjects({ file: arrayBufferOf(bytes), compressors });
