import { ClientError } from "../errors.ts";
import { TransientError } from "./transient-error.ts";

/** A reason why nothing was received. `isOfAddress`: a retry gives the same result, unless the address was right before. */
type Unreachable = { readonly reason: string; readonly isOfAddress?: true };

const noTls: Unreachable = {
  reason: "it does not speak TLS there: an http address of this machine begins with http://",
  isOfAddress: true,
};
const noHttp: Unreachable = { reason: "it does not speak HTTP there", isOfAddress: true };
const untrusted: Unreachable = {
  reason: "its certificate is not one that this machine trusts for this host",
  isOfAddress: true,
};

/** Reasons by the error codes of Node.js and OpenSSL. */
const reasons: Readonly<Record<string, Unreachable>> = {
  ENOTFOUND: { reason: "there is no host of this name", isOfAddress: true },
  EAI_AGAIN: { reason: "the name of the host cannot be looked up now" },
  ECONNREFUSED: { reason: "nothing listens there" },
  EHOSTUNREACH: { reason: "there is no route to the host" },
  ENETUNREACH: { reason: "there is no route to the host" },
  ETIMEDOUT: { reason: "the host does not answer" },
  UND_ERR_CONNECT_TIMEOUT: { reason: "the host does not answer" },
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  HPE_INVALID_CONSTANT: noHttp,
  HPE_INVALID_VERSION: noHttp,
  CERT_HAS_EXPIRED: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/**
 * Returns the error for a connection that failed: `url_unreachable` if the address must be wrong, else a transient one that ends as
 * `server_unreachable`. Returns an error that is not of a connection unchanged.
 *
 * @param hasAnswered true if the server has answered this run before, so that its address is right
 */
export function asUnreachable(error: unknown, origin: string, hasAnswered: boolean): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (!Object.hasOwn(reasons, code)) return error;
  const { reason: words = "", isOfAddress } = reasons[code] ?? {};
  const reason = `${words} (${code})`;
  if (isOfAddress && !hasAnswered) return new ClientError("url_unreachable", { origin, reason });
  const finalError = new ClientError("server_unreachable", { origin, reason });
  return new TransientError(`${origin} cannot be reached: ${reason}`, { finalError });
}
