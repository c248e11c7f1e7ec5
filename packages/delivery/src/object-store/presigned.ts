import type { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";

/** The members of an SDK request that make up its address. */
type Made = {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
};

/** The method of the SDK's signer that its type does not declare. */
type Presigner = {
  readonly presign: (
    request: Made & { readonly method: string; readonly headers: Readonly<Record<string, string>> },
    options: { readonly expiresIn: number },
  ) => Promise<Made>;
};

/**
 * Returns a presigned URL by which anyone can read the object of the command for `seconds`.
 * Source: Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters".
 */
export async function presignedAddress(
  client: S3Client,
  command: GetObjectCommand,
  seconds: number,
): Promise<string> {
  const { protocol, hostname, port, path, query = {} } = await requestOf(client, command);
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  const signer: object = await client.config.signer();
  if (!isPresigner(signer)) throw new TypeError("the signer of the SDK makes no addresses");
  const request = {
    method: "GET",
    protocol,
    hostname,
    ...(port === undefined ? {} : { port }),
    path,
    query,
    headers: { host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
  };
  const signed = await signer.presign(request, { expiresIn: seconds });
  const options = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${encoded(name)}=${encoded(value)}`,
  );
  return `${protocol}//${host}${path}?${options.join("&")}`;
}

const isPresigner = (signer: object): signer is Presigner => "presign" in signer;

/** Returns the request that the SDK would send, without sending it. */
async function requestOf(client: S3Client, command: GetObjectCommand): Promise<Made> {
  let made: Made | undefined;
  command.middlewareStack.add(
    () =>
      ({ request }) => {
        made = request as Made;
        return Promise.resolve({ response: {}, output: { $metadata: {} } });
      },
    { step: "build" },
  );
  await client.send(command);
  if (made === undefined) throw new TypeError("the SDK makes a request of a command");
  return made;
}

/** Percent-encodes a text in the way it was signed. Source: AWS Signature Version 4, `UriEncode`. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
