import { ProtocolError } from "../errors.ts";
import type { HeaderReader } from "./version.ts";

/**
 * Returns the text of a request's body.
 *
 * @param pieces yields the bytes of the body. Stopping before its end must not close the connection, or the client gets no error.
 * @throws {ProtocolError} `body_too_large` for more than `maxBytes`; `unsupported_media_type` if it is compressed, because its length is
 * then not known; `invalid_encoding` if it is not UTF-8
 */
export async function readBodyText(
  pieces: () => AsyncIterable<Uint8Array>,
  header: HeaderReader,
  maxBytes: number,
): Promise<string> {
  if (!/^(?:identity)?$/i.test(header("content-encoding") ?? ""))
    throw new ProtocolError("unsupported_media_type", {
      target: "Content-Encoding",
      reason: "send it uncompressed",
    });
  if (Number(header("content-length") ?? 0) > maxBytes) throw tooLarge();
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces()) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge();
    read.push(piece);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(read));
  } catch {
    throw new ProtocolError("invalid_encoding");
  }
}

/** The rest of the body is not read, so the connection cannot be reused. */
const tooLarge = () => new ProtocolError("body_too_large", { headers: { connection: "close" } });
