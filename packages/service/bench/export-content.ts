import { setTimeout } from "node:timers/promises";

/** The service and a key, for exports. */
export type Exporting = { readonly baseUrl: string; readonly apiKey: string };

const root = "/v1/file-exports";

type Manifest = {
  readonly schema: unknown;
  readonly parts: readonly { readonly dataset: string; readonly sha256: string; readonly rowCount: number }[];
};

/** Exports the listings of a customer. Returns the id of the complete delivery. */
export async function completeExport(exporting: Exporting): Promise<string> {
  const order = { domain: "listing", deliveryMode: "pull", idempotencyKey: `export-${performance.now()}` };
  const { id } = await dataOf<{ readonly id: string }>(exporting, root, order);
  for (;;) {
    const { status } = await dataOf<{ readonly status: string }>(exporting, `${root}/${id}`);
    if (status === "complete") return id;
    if (status !== "queued" && status !== "building") throw new Error(`the delivery is ${status}`);
    await setTimeout(200);
  }
}

/** Returns the schema of a delivery and the hashes of its files, as text. */
export async function contentOf(exporting: Exporting, id: string): Promise<string> {
  const { schema, parts } = await dataOf<Manifest>(exporting, `${root}/${id}/manifest`);
  const files = parts.map(({ dataset, sha256, rowCount }) => ({ dataset, sha256, rowCount }));
  return JSON.stringify({ schema, files });
}

async function dataOf<Data>({ baseUrl, apiKey }: Exporting, path: string, body?: unknown): Promise<Data> {
  const response = await fetch(baseUrl + path, {
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} gave ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { readonly data: Data }).data;
}
