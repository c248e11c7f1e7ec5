import { isRecord, type JsonObject } from "../api/json.ts";
import { requestJson, sendRequest } from "../api/request.ts";
import { envelopeData } from "./delivery-list.ts";
import { canonicalManifest, manifestKeyOf, sha256Digits } from "./manifest-proof.ts";

/** A part of a delivery, as its manifest lists it. */
type ListedPart = {
  readonly number: number;
  readonly name: string;
  readonly rows: number;
  /** Length in bytes. */
  readonly length: number;
  readonly sha256: string;
};

export type FetchedManifest = {
  readonly manifest: JsonObject;
  readonly parts: readonly ListedPart[];
  readonly sha256: string;
  readonly signature: { readonly protected: string; readonly signature: string } | undefined;
};

/** One step of a check, and whether it held. Undefined: it has not been done yet. */
export type CheckStep = { readonly title: string; readonly holds: boolean | undefined };

/** Parts that a page downloads to check them, in bytes: more belongs to a program. */
export const mostBytes = 256 * 2 ** 20;

const partOf = (part: JsonObject): ListedPart => ({
  number: Number(part["number"]),
  name: String(part["name"]),
  rows: Number(part["rowCount"]),
  length: Number(part["byteLength"]),
  sha256: String(part["sha256"]),
});

export async function requestManifest(
  id: string,
  apiKey: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const body = await requestJson({ path: `v1/file-exports/${id}/manifest`, apiKey, signal });
  const data = envelopeData(body);
  const manifest = isRecord(data) ? data : {};
  const meta = isRecord(body) && isRecord(body["meta"]) ? body["meta"] : {};
  const signature = meta["signature"];
  const parts = Array.isArray(manifest["parts"]) ? manifest["parts"].filter(isRecord).map(partOf) : [];
  return {
    manifest,
    parts,
    sha256: String(meta["manifest_sha256"]),
    signature: isRecord(signature)
      ? { protected: String(signature["protected"]), signature: String(signature["signature"]) }
      : undefined,
  };
}

const redeemPath = "/v1/file-downloads/redeem";

async function fetchPart(id: string, number: number, apiKey: string): Promise<ArrayBuffer> {
  const grant = envelopeData(
    await requestJson({ path: `v1/file-exports/${id}/download?part=${number}`, apiKey }),
  );
  const isLogical = isRecord(grant) && grant["kind"] === "logical" && grant["url"] === redeemPath;
  if (!isLogical) throw new Error("the service grants the part at another address");
  const response = await sendRequest({
    path: redeemPath.slice(1),
    apiKey,
    headers: { accept: "application/octet-stream", authorization: `Bearer ${String(grant["bearer_token"])}` },
  });
  return response.arrayBuffer();
}

async function isSigned({ manifest, signature }: FetchedManifest, apiKey: string): Promise<boolean> {
  if (signature === undefined) return false;
  const body = await requestJson({ path: ".well-known/jwks.json", apiKey });
  const keys = isRecord(body) && Array.isArray(body["keys"]) ? body["keys"].filter(isRecord) : [];
  const bytes = new TextEncoder().encode(canonicalManifest(manifest));
  return (await manifestKeyOf(bytes, signature, keys)) !== undefined;
}

/** Checks a delivery in the page: hash and signature of its manifest, then length and hash of each part. Tells every step as it is done. */
export async function checkDelivery(
  id: string,
  fetched: FetchedManifest,
  apiKey: string,
  tell: (steps: readonly CheckStep[]) => void,
): Promise<void> {
  const checks: readonly (readonly [title: string, check: () => Promise<boolean>])[] = [
    [
      "The manifest has the hash that the service states",
      async () =>
        (await sha256Digits(new TextEncoder().encode(canonicalManifest(fetched.manifest)))) ===
        fetched.sha256,
    ],
    ["A key of the service has signed it", () => isSigned(fetched, apiKey)],
    ...fetched.parts.map(
      (part) =>
        [
          `${part.name} has its length and hash`,
          async () => {
            const bytes = await fetchPart(id, part.number, apiKey);
            return bytes.byteLength === part.length && (await sha256Digits(bytes)) === part.sha256;
          },
        ] as const,
    ),
  ];
  const steps: CheckStep[] = checks.map(([title]) => ({ title, holds: undefined }));
  tell([...steps]);
  for (const [index, [title, check]] of checks.entries()) {
    steps[index] = { title, holds: await check().catch(() => false) };
    tell([...steps]);
  }
}
