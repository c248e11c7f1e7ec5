import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A request as it was received. */
export type SignedRequest = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
};

/** Content of the header `authorization`. Source: AWS Signature Version 4. */
export type Authorization = {
  readonly accessKeyId: string;
  /** Date, region, service and `aws4_request`. */
  readonly scope: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
};

const authorizationPattern =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

export function readAuthorization(headers: IncomingHttpHeaders): Authorization | undefined {
  const [, accessKeyId, scope, signedHeaders, signature] =
    authorizationPattern.exec(headers.authorization ?? "") ?? [];
  if (!accessKeyId || !scope || !signedHeaders || !signature) return undefined;
  return { accessKeyId, scope: scope.split("/"), signedHeaders: signedHeaders.split(";"), signature };
}

/** Reads a request with a presigned URL, and its signature; undefined if the URL has expired, or is not presigned. */
export function readPresignedUrl(
  { method, url, headers }: SignedRequest,
  now: Date,
):
  | {
      readonly asked: SignedRequest;
      readonly authorization: Authorization;
      readonly token: string | undefined;
    }
  | undefined {
  const [path = "", query = ""] = url.split("?");
  const options = new URLSearchParams(query);
  const of = (name: string) => options.get(`X-Amz-${name}`) ?? "";
  const [accessKeyId = "", ...scope] = of("Credential").split("/");
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(of("Date"))?.map(Number) ?? [];
  const began = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  if (!(now.getTime() < began + Number(of("Expires")) * 1000)) return undefined;
  const signed = query.split("&").filter((item) => !item.startsWith("X-Amz-Signature="));
  return {
    asked: { method, url: `${path}?${signed.join("&")}`, headers: { ...headers, "x-amz-date": of("Date") } },
    authorization: {
      accessKeyId,
      scope,
      signedHeaders: of("SignedHeaders").split(";"),
      signature: of("Signature"),
    },
    token: options.get("X-Amz-Security-Token") ?? undefined,
  };
}

export const writeAuthorization = ({ accessKeyId, scope, signedHeaders }: Authorization, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=${[accessKeyId, ...scope].join("/")}, SignedHeaders=${signedHeaders.join(";")}, Signature=${signature}`;

export const sha256Hex = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** Returns the signature that a request must have for a secret. */
export function signatureOf(
  { method, url, headers }: SignedRequest,
  { scope, signedHeaders }: Authorization,
  secretAccessKey: string,
  payloadSha256: string,
): string {
  const [path = "/", query = ""] = url.split("?");
  const canonical = [
    method,
    path,
    query
      .split("&")
      .map((item) => (item === "" || item.includes("=") ? item : `${item}=`))
      .toSorted()
      .join("&"),
    ...signedHeaders.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/ +/g, " ")}`,
    ),
    "",
    signedHeaders.join(";"),
    payloadSha256,
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope.join("/"), sha256Hex(canonical)].join(
    "\n",
  );
  const key = scope.reduce<string | Buffer>(
    (secret, item) => createHmac("sha256", secret).update(item).digest(),
    `AWS4${secretAccessKey}`,
  );
  return createHmac("sha256", key).update(toSign).digest("hex");
}
