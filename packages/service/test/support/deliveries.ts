import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { ask, type Headers, type Reply } from "./ask.ts";
import type { Running } from "./running.ts";

export const exportsRoot = "/v1/file-exports";

type Part = {
  readonly number: number;
  readonly dataset: string;
  readonly sha256: string;
  readonly byteLength: number;
  readonly rowCount: number;
  readonly contentEncoding: string | null;
};
export type ManifestReply = {
  readonly data: {
    readonly deliveryId: string;
    readonly window: { readonly toCheckpoint: string; readonly asOf: string };
    readonly parts: readonly Part[];
    readonly datasets: readonly {
      readonly name: string;
      readonly rowCount: number;
      readonly sources: readonly { readonly datasetId: string; readonly originatingSystemName: string }[];
    }[];
    readonly schema: { readonly sha256: string };
    readonly profile: { readonly format: string; readonly sha256: string };
    readonly attribution: readonly { readonly datasetId: string; readonly disclaimerSha256: string }[];
  };
  readonly meta: { readonly manifest_sha256: string; readonly signature: unknown };
};

/** Returns requests of a customer about deliveries. */
export function customerOf(
  { service, key }: { readonly service: Pick<Running["service"], "baseUrl">; readonly key: Running["key"] },
  name = "national",
) {
  const headers = { "x-api-key": key(name) };
  const get = (target: string, more: Headers = {}): Promise<Reply> =>
    ask(service.baseUrl, target, { ...headers, ...more });
  const post = (target: string, body: unknown, more: Headers = {}): Promise<Reply> =>
    ask(
      service.baseUrl,
      target,
      { ...headers, "content-type": "application/json", ...more },
      "POST",
      typeof body === "string" ? body : JSON.stringify(body),
    );
  const create = (body: Readonly<Record<string, unknown>> = {}): Promise<Reply> =>
    post(exportsRoot, {
      domain: "listing",
      deliveryMode: "pull",
      idempotencyKey: `key-${Math.random()}`,
      ...body,
    });
  const created = async (body?: Readonly<Record<string, unknown>>): Promise<string> => {
    const reply = await create(body);
    expect([reply.status, reply.text]).toEqual([202, expect.any(String)]);
    return dataOf<{ id: string }>(reply).id;
  };
  /** Waits until the delivery is no longer queued or being built, and returns its status. */
  const finished = async (id: string): Promise<string> => {
    for (;;) {
      const { status } = dataOf<{ status: string }>(await get(`${exportsRoot}/${id}`));
      if (status !== "queued" && status !== "building") return status;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const complete = async (body?: Readonly<Record<string, unknown>>): Promise<string> => {
    const id = await created(body);
    expect(await finished(id)).toBe("complete");
    return id;
  };
  const manifest = async (id: string): Promise<ManifestReply> =>
    JSON.parse((await get(`${exportsRoot}/${id}/manifest`)).text) as ManifestReply;
  const grant = async (id: string, part: number): Promise<string> =>
    dataOf<{ bearer_token: string }>(await get(`${exportsRoot}/${id}/download?part=${part}`)).bearer_token;
  const redeem = async (token: string, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${service.baseUrl}/v1/file-downloads/redeem`, {
      headers: { ...headers, authorization: `Bearer ${token}`, ...more },
    });
  const fetched = async (id: string, part: number): Promise<Buffer> =>
    Buffer.from(await (await redeem(await grant(id, part))).arrayBuffer());
  return { headers, get, post, create, created, finished, complete, manifest, grant, redeem, fetched };
}

export const dataOf = <Data>({ text }: Reply): Data => (JSON.parse(text) as { data: Data }).data;

export const refusal = ({ status, text }: Reply) => [status, (JSON.parse(text) as { error: string }).error];

/** Returns the manifest of a delivery in JSON lines, and its rows by dataset, in the order of its parts. */
export async function readLines<Row>(
  { manifest, fetched }: Pick<ReturnType<typeof customerOf>, "manifest" | "fetched">,
  id: string,
): Promise<{ readonly data: ManifestReply["data"]; readonly rows: ReadonlyMap<string, readonly Row[]> }> {
  const { data } = await manifest(id);
  const rows = new Map<string, Row[]>(data.datasets.map(({ name }) => [name, []]));
  for (const { number, dataset } of data.parts) {
    const lines = gunzipSync(await fetched(id, number)).toString();
    for (const line of lines.split("\n").slice(0, -1)) rows.get(dataset)?.push(JSON.parse(line) as Row);
  }
  return { data, rows };
}
