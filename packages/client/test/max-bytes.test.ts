import { connect, openTarget, type PullOptions, pull } from "@cadastre/client";
import { afterEach, describe, expect, test } from "vitest";
import { jwks, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";

const delivery = await makeDelivery();
const { deliveryId: id, parts, totals } = delivery.manifest;
const [first] = parts;
let server: TestServer;
afterEach(() => server.close());

async function pullInto(folder: string, options: Partial<PullOptions>) {
  const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 3, timeout: 2000, pause: 1 } });
  const target = await openTarget(folder);
  return pull(connection, id, { target, trust: jwks, reference: null, parallel: 1, ...options });
}

const fetched = (): number => server.requests.filter(({ url }) => url.includes("/download")).length;
const refusal = { code: "max_bytes_exceeded", exitCode: 2 };

describe("a limit of bytes", () => {
  test("refuses a delivery with one byte more, before a part is asked for", async () => {
    server = await startServer(delivery);
    const folder = emptyFolder();
    const maxBytes = totals.byteLength - 1;
    await expect(pullInto(folder, { maxBytes })).rejects.toMatchObject(refusal);
    expect(fetched()).toBe(0);
    expect(filesIn(folder).some((name) => name.startsWith(id))).toBe(false);
  });

  test("takes a delivery of just that size", async () => {
    server = await startServer(delivery);
    expect(await pullInto(emptyFolder(), { maxBytes: totals.byteLength })).toMatchObject({ standing: "new" });
  });

  test("does not count the parts that are staged already", async () => {
    server = await startServer(delivery);
    const folder = emptyFolder();
    const last = parts.at(-1);
    server.trick = ({ url }, response) => url.endsWith(`part=${last?.number}`) && json(response, 500, {});
    await expect(pullInto(folder, {})).rejects.toMatchObject({ code: "request_refused" });
    server.trick = () => false;
    expect(await pullInto(folder, { maxBytes: last?.byteLength ?? 0 })).toMatchObject({ standing: "new" });
  });

  test("counts transfers that are repeated, and keeps the parts that were verified", async () => {
    server = await startServer(delivery);
    const folder = emptyFolder();
    let redeemed = 0;
    server.trick = ({ url }, response) => {
      if (!url.endsWith("/redeem") || ++redeemed !== 2) return false;
      return !!response.end(Buffer.alloc(parts[1]?.byteLength ?? 0));
    };
    const maxBytes = totals.byteLength;
    await expect(pullInto(folder, { maxBytes })).rejects.toMatchObject(refusal);
    const staged = filesIn(folder).filter((name) => name.endsWith(".gz"));
    expect(staged.some((name) => name.endsWith(first?.name ?? ""))).toBe(true);
    expect(filesIn(folder).some((name) => name.endsWith(".partial"))).toBe(false);
    expect(await pullInto(folder, { maxBytes })).toMatchObject({ standing: "new" });
  });

  test("is an option of the program, which says what is too large", async () => {
    server = await startServer(delivery);
    const args = ["pull", id, "--url", server.url, "--into", emptyFolder(), "--max-bytes"];
    const { code, stderr } = await runHere([...args, "100"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`max_bytes_exceeded: fetching the delivery takes ${totals.byteLength} bytes`);
    expect((await runHere([...args, "1e9"])).stderr).toContain("whole number above zero");
    expect(fetched()).toBe(0);
  });
});
