import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import {
  bucketRegion,
  type Customer,
  makeCustomer,
  type ObjectServer,
  startFakeObjectServer,
} from "@cadastre/delivery/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { type Running, run } from "../support/running.ts";

let server: ObjectServer;
let front: Server;
let owner: Customer;
let running: Running;
const folder = mkdtempSync(join(tmpdir(), "cadastre-tls-"));

/** Have a server that speaks HTTP be reached by https, with a certificate that nobody vouches for. */
async function startFront(endpoint: string): Promise<Server> {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "1"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const options = { key: readFileSync(key), cert: readFileSync(certificate) };
  const started = createServer(options, (from) => {
    const to = connect(Number(new URL(endpoint).port), "127.0.0.1");
    from.pipe(to).pipe(from);
    for (const [one, other] of [[from, to] as const, [to, from] as const])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  await new Promise<void>((resolve) => void started.listen(0, "127.0.0.1", resolve));
  return started;
}

beforeAll(async () => {
  server = await startFakeObjectServer();
  owner = await makeCustomer(server);
  front = await startFront(server.endpoint);
  const { accessKeyId, secretAccessKey } = server.owner;
  vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  running = await run({
    CADASTRE_LISTINGS: "60",
    CADASTRE_GRANTS: "direct_https",
    CADASTRE_PARTS_BUCKET: `s3://${owner.bucket}/parts`,
    CADASTRE_PARTS_REGION: bucketRegion,
    CADASTRE_PARTS_ENDPOINT: `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await running.stop();
  front.close();
  await owner.close();
  await server.stop();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const download = (id: string, part: number) => `/v1/file-exports/${id}/download?part=${part}`;

test("a part is granted by its address, which ends with the grant and is in no log; the manifest by a token", async () => {
  const national = customerOf(running);
  const id = await national.complete();
  const { data } = await national.manifest(id);
  const [part] = data.parts;
  const asked = Date.now();
  const reply = await national.get(download(id, part?.number ?? 0));
  const { url, ...grant } = dataOf<{ readonly url: string }>(reply);
  expect(grant).toEqual({ kind: "direct_https" });
  expect(reply.headers["cache-control"]).toBe("no-store");
  const { expires_at } = (JSON.parse(reply.text) as { meta: { expires_at: string } }).meta;
  const options = new URL(url).searchParams;
  expect(new URL(url).protocol).toBe("https:");
  expect(options.get("X-Amz-Expires")).toBe("300");
  expect(Math.abs(Date.parse(expires_at) - asked - 300_000)).toBeLessThan(5000);
  const got = await fetch(url);
  expect(
    createHash("sha256")
      .update(Buffer.from(await got.arrayBuffer()))
      .digest("hex"),
  ).toBe(part?.sha256);
  const signature = options.get("X-Amz-Signature") ?? "";
  expect(signature).toMatch(/^[0-9a-f]{64}$/);
  expect(running.log()).not.toContain(signature);
  expect(dataOf(await national.get(download(id, 0)))).toEqual({
    kind: "logical",
    url: "/v1/file-downloads/redeem",
    bearer_token: expect.stringMatching(/^ldsg_/) as string,
  });
  expect((await national.redeem(await national.grant(id, 0))).status).toBe(200);
});

test("a part is granted as often as it is asked for, also within one second", async () => {
  const national = customerOf(running);
  const id = await national.complete();
  const { data } = await national.manifest(id);
  const target = download(id, data.parts[0]?.number ?? 0);
  const replies = await Promise.all(Array.from({ length: 4 }, () => national.get(target)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test("what may not be fetched is given no address", async () => {
  const [national, market] = [customerOf(running), customerOf(running, "market")];
  const id = await national.complete({ domain: "public_record" });
  const { data } = await national.manifest(id);
  const target = download(id, data.parts[0]?.number ?? 0);
  expect(refusal(await market.get(target))).toEqual([404, "not_found"]);
  expect(refusal(await national.get(download(id, 2 ** 31 - 1)))).toEqual([404, "part_not_found"]);
  await entitle(running, "national", (before) => ({ ...before, regions: [{ kind: "state", value: "OR" }] }));
  expect(refusal(await national.get(target))).toEqual([403, "entitlement_changed"]);
});
