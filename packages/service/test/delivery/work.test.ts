import { once } from "node:events";
import { readdir, readlink, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { end, says, startProgram } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";

const root = "/v1/file-exports";

let running: Running;
const profiles = join(tmpdir(), `cadastre-profiles-${process.pid}.json`);
beforeAll(async () => {
  const plain = { id: "plain", version: 1, domain: "listing", format: "jsonl", compression: "none" };
  await writeFile(profiles, JSON.stringify({ profiles: [plain] }));
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

const startWorker = async () => {
  const worker = await startProgram("cli/main.ts", ["worker"], {
    CADASTRE_DATA: running.folder.path,
    CADASTRE_LOG_LEVEL: "silent",
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
  await expect.poll(openParts, { timeout: 5000 }).toEqual([]);
  // The second one waits for its turn on the connection, and never has it.
  await breakOff(token, national.headers["x-api-key"], 2);
  // Later a file might be closed that is only forgotten.
  await expect.poll(openParts, { timeout: 1000, interval: 10 }).toEqual([]);
  expect((await national.redeem(token)).status).toBe(200);
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
