import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readlink, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withRegistry } from "../../src/data/registry.ts";
import { ask } from "../support/ask.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { end, says, startProgram } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";

const root = "/v1/file-exports";

let running: Running;
const profiles = join(tmpdir(), `cadastre-profiles-${process.pid}.json`);
beforeAll(async () => {
  const plain = { id: "plain", version: 1, domain: "listing", format: "jsonl", compression: "none" };
  await writeFile(profiles, JSON.stringify({ profiles: [plain], defaults: { listing: plain.id } }));
  running = await run({
    CADASTRE_LISTINGS: "1000",
    CADASTRE_WORKER: "false",
    CADASTRE_EXPORT_PROFILES: profiles,
  });
});
afterAll(async () => {
  await rm(profiles);
  await running.stop();
});

const startWorker = async (environment: Readonly<Record<string, string>> = {}) => {
  const worker = await startProgram("cli/main.ts", ["worker"], {
    CADASTRE_DATA: running.folder.path,
    CADASTRE_LOG_LEVEL: "silent",
    ...environment,
  });
  await says(worker, "Building deliveries");
  return worker;
};

test("what waits is counted, can be canceled, and is built by a worker beside the service", async () => {
  const national = customerOf(running);
  const waiting: string[] = [];
  for (let nth = 0; nth < 4; nth++) waiting.push(await national.created());
  const refused = await national.create();
  expect([...refusal(refused), refused.headers["retry-after"]]).toEqual([429, "too_many_exports", "30"]);
  const [canceled = "", ...kept] = waiting;
  const cancel = () => ask(running.service.baseUrl, `${root}/${canceled}`, national.headers, "DELETE");
  for (let times = 0; times < 2; times++)
    expect(dataOf(await cancel())).toMatchObject({
      status: "canceled",
      failure: { code: "canceled_by_customer" },
    });
  for (const id of [canceled, kept[0] ?? ""])
    for (const target of ["/manifest", "/download?part=0"])
      expect(refusal(await national.get(`${root}/${id}${target}`))).toEqual([409, "delivery_not_complete"]);
  const said = { generation: 1, sequence: 0, manifest_sha256: "0".repeat(64), customer_reference: "early" };
  const early = await national.post(`${root}/${kept[0]}/acknowledge`, said);
  expect(refusal(early)).toEqual([409, "delivery_not_complete"]);
  expect(dataOf(await national.get(root))).toEqual([]);
  const worker = await startWorker();
  for (const id of kept) expect(await national.finished(id)).toBe("complete");
  expect(await end(worker, "SIGTERM")).toBe(0);
  expect(dataOf<{ status: string }>(await national.get(`${root}/${canceled}`)).status).toBe("canceled");
  // The same request at the same checkpoint has the same bytes.
  const [first, ...others] = await Promise.all(kept.map(national.manifest));
  for (const { data } of others) expect(data.parts).toEqual(first?.data.parts);
}, 120_000);

test("a transfer that is broken off leaves no file open", async () => {
  const national = customerOf(running);
  const worker = await startWorker();
  const id = await national.complete();
  await end(worker, "SIGTERM");
  const { data } = await national.manifest(id);
  expect(data.profile).toMatchObject({ id: "plain", compression: "none" });
  const largest = data.parts.toSorted((a, b) => b.byteLength - a.byteLength)[0];
  const token = await national.grant(id, largest?.number ?? 0);
  for (let times = 0; times < 20; times++) await breakOff(token, national.headers["x-api-key"]);
  await expect.poll(openParts, { timeout: 20_000 }).toEqual([]);
  // The second one waits for its turn on the connection, and never has it.
  await breakOff(token, national.headers["x-api-key"], 2);
  // Later a file might be closed that is only forgotten.
  await expect.poll(openParts, { timeout: 1000, interval: 10 }).toEqual([]);
  expect((await national.redeem(token)).status).toBe(200);
}, 60_000);

test("a worker removes what is over, and begins a market report anew that has other cells", async () => {
  const national = customerOf(running);
  const subscriptions = "/v1/file-export-subscriptions";
  const body = { name: "market", domain: "market_report", deliveryMode: "pull", cadenceSeconds: 86_400 };
  const { id } = dataOf<{ id: string }>(await national.post(subscriptions, body));
  type Seed = { readonly id: string; readonly generation: number; readonly status: string };
  const lastOne = async () =>
    dataOf<Seed[]>(await national.get(`${subscriptions}/${id}/deliveries?limit=1`))[0];
  const seedOf = async (generation: number, cellSize: number) => {
    const change = async (step: "pause" | "resume") =>
      expect((await national.post(`${subscriptions}/${id}/${step}`, {})).status).toBe(200);
    // Resumed subscriptions are due. The worker must not create a delivery before, or this one would be its delta.
    await change("pause");
    const worker = await startWorker({ CADASTRE_MINIMUM_CELL_SIZE: String(cellSize) });
    await change("resume");
    const seed = { generation, sequence: 0, status: "complete" };
    await expect.poll(lastOne, { timeout: 15_000 }).toMatchObject(seed);
    await end(worker, "SIGTERM");
    const last = (await lastOne())?.id ?? "";
    return { id: last, ...(await national.manifest(last)).data };
  };
  const first = await seedOf(1, 10);
  const [part] = first.parts;
  const file = join(running.folder.exports, "parts", part?.sha256.slice(0, 2) ?? "", part?.sha256 ?? "");
  expect(existsSync(file)).toBe(true);
  await withRegistry(running.folder, ({ deliveries }) =>
    deliveries.retention.expire(Date.now() + 15 * 86_400_000),
  );
  const second = await seedOf(2, 2);
  expect(second.parts[0]?.rowCount).toBeGreaterThan(part?.rowCount ?? Infinity);
  expect(existsSync(file)).toBe(false);
  expect(dataOf(await national.get(`${root}/${first.id}`))).toMatchObject({ status: "purged" });
  const gone = await national.get(`${root}/${first.id}/manifest`);
  expect(refusal(gone)).toEqual([410, "delivery_expired"]);
}, 60_000);

/** Ask for a part so many times at once on one connection, read a little when all are open, and go. */
async function breakOff(token: string, apiKey: string, times = 1): Promise<void> {
  const { hostname, port } = new URL(running.service.baseUrl);
  const socket = connect(Number(port), hostname);
  const request = [
    "GET /v1/file-downloads/redeem HTTP/1.1",
    `host: ${hostname}`,
    `x-api-key: ${apiKey}`,
    `authorization: Bearer ${token}`,
    "\r\n",
  ].join("\r\n");
  socket.write(request.repeat(times));
  if (times > 1) await expect.poll(async () => (await openParts()).length, { interval: 5 }).toBe(times);
  socket.once("data", () => socket.destroy());
  await once(socket, "close");
}

/** Parts that this process, in which the service runs, has open. */
async function openParts(): Promise<readonly string[]> {
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return links.filter((link) => link.startsWith(running.folder.exports));
}
