import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Demo } from "../src/demo/demo-file.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { dataOf, type ManifestReply, refusal } from "./support/deliveries.ts";
import { end, type Program, says, startProgram } from "./support/program.ts";

const [system] = sampleSystems;

/** Command that runs another one as root of its own mount namespace. Its mounts disappear when its processes end. */
const unshared = ["unshare", "--map-root-user", "--mount"] as const;

const [unshare, ...isolated] = unshared;
const mayMount =
  spawnSync(unshare, [...isolated, "mount", "-t", "tmpfs", "none", tmpdir()], { stdio: "ignore" }).status ===
  0;
if (!mayMount) console.warn("no file system may be mounted: a full disk is not tested");

// With the audit trail on standard output, the first write to the disk is that of the registry.
describe.skipIf(!mayMount).each(process.env["ATTACK"] === undefined ? ["file"] : ["file", "stdout"])(
  "a disk without space, and the audit trail in %s,",
  (audit) => {
    let folder: string;
    let service: Program;
    let demo: Demo;
    /** Path of the data folder as the service sees it, from outside its namespace. */
    let inside: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "cadastre-full-disk-"));
      const mounted = 'mount -t tmpfs -o size=64m none "$CADASTRE_DATA" && exec "$0" "$@"';
      service = await startProgram(
        "main.ts",
        [],
        {
          CADASTRE_DATA: folder,
          CADASTRE_LISTINGS: "300",
          CADASTRE_AUDIT: audit,
          CADASTRE_LOG_LEVEL: "warn",
          CADASTRE_CHECK_HOURS: "0",
          PORT: "0",
        },
        { prefix: [...unshared, "sh", "-c", mounted] },
      );
      await says(service, "Stop with Ctrl-C.");
      inside = join(`/proc/${service.child.pid}/root`, folder);
      demo = JSON.parse(await readFile(join(inside, "demo.json"), "utf8")) as Demo;
    }, 120_000);
    afterAll(async () => {
      await end(service, "SIGTERM");
      await rm(folder, { recursive: true });
    });

    const headers = () => ({
      "x-api-key": demo.keys.find(({ name }) => name === "national")?.apiKey ?? "",
      "content-type": "application/json",
    });
    const send = (target: string, method = "GET", body = "") =>
      ask(demo.baseUrl, target, headers(), method, body);

    /** Fills the disk, down to the last byte. */
    function fill(): void {
      const file = openSync(join(inside, "filler"), "a");
      for (let size = 1 << 20; size > 0; )
        try {
          writeSync(file, Buffer.alloc(size));
        } catch {
          size >>= 1;
        }
      closeSync(file);
    }
    const free = () => rmSync(join(inside, "filler"));

    /** Runs a command in the namespace of the service. */
    async function command(...args: readonly string[]) {
      const prefix = [
        "nsenter",
        "--preserve-credentials",
        "--user",
        "--mount",
        "--target",
        String(service.child.pid),
      ];
      const { child, output } = await startProgram(
        "cli/main.ts",
        args,
        { CADASTRE_DATA: folder, CADASTRE_AUDIT: audit },
        { prefix },
      );
      const [code] = (await once(child, "close")) as [number | null];
      return { code, output: output() };
    }

    const asked = (key: string) =>
      send(
        "/v1/file-exports",
        "POST",
        JSON.stringify({ domain: "listing", deliveryMode: "pull", idempotencyKey: key }),
      );
    const stateOf = async (id: string) =>
      dataOf<{ readonly status: string }>(await send(`/v1/file-exports/${id}`)).status;

    /** Checks that a delivery becomes complete, and that its parts match its manifest. */
    async function requireDelivered(id: string): Promise<void> {
      await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("complete");
      const { data } = JSON.parse((await send(`/v1/file-exports/${id}/manifest`)).text) as ManifestReply;
      for (const { number, sha256 } of data.parts) {
        const granted = await send(`/v1/file-exports/${id}/download?part=${number}`);
        const { bearer_token: token } = dataOf<{ readonly bearer_token: string }>(granted);
        const part = await fetch(`${demo.baseUrl}/v1/file-downloads/redeem`, {
          headers: { ...headers(), authorization: `Bearer ${token}` },
        });
        const bytes = Buffer.from(await part.arrayBuffer());
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
      }
    }

    const page = `/reso/odata/Property${query({ $top: 300, $orderby: "ListingKey", $count: true })}`;

    test("refuses what would be written and says why; reads go on, and everything does once there is space", async () => {
      const before = await send(page);
      const records = [...generateMarket({ seed: 1, listings: 400 }).rows("Property")].filter(
        ({ datasetId }) => datasetId === system.datasetId,
      );
      const lines = records.map(({ record }) => JSON.stringify(record));
      writeFileSync(join(inside, "more.jsonl"), lines.join("\n"));
      const ingest = () =>
        command("ingest", "--resource", "Property", "--source", system.id, join(folder, "more.jsonl"));

      const building = dataOf<{ readonly id: string }>(await asked("before")).id;
      fill();
      expect(refusal(await asked("full"))).toEqual([503, "service_unavailable"]);
      const webhook = JSON.stringify({ url: "https://hooks.example/cadastre" });
      expect(refusal(await send("/v1/webhooks", "POST", webhook))).toEqual([503, "service_unavailable"]);
      for (const [what, { code, output }] of [
        ["a key", await command("key", "create", "demo-national")],
        ["records", await ingest()],
      ] as const) {
        expect([what, code]).toEqual([what, 1]);
        expect(output).toMatch(/no space|ENOSPC|full/i);
        expect(output).not.toMatch(/\n\s+at /);
      }
      expect((await send(page)).text).toBe(before.text);
      expect((await send("/health/live")).status).toBe(200);
      expect(["queued", "building", "complete"]).toContain(await stateOf(building));

      free();
      await requireDelivered(building);
      const again = await asked("full");
      expect(again.status).toBe(202);
      await requireDelivered(dataOf<{ readonly id: string }>(again).id);
      expect((await send("/v1/webhooks", "POST", webhook)).status).toBe(201);
      expect((await command("key", "create", "demo-market")).code).toBe(0);
      expect((await ingest()).code).toBe(0);
      expect((await command("publish", "Property", "--allow-shrink")).code).toBe(0);
      await expect
        .poll(async () => toCollection(await send(page))["@odata.count"], { timeout: 10_000 })
        .toBeGreaterThan(toCollection(before)["@odata.count"] ?? 0);
      expect((await command("check")).code).toBe(0);
    }, 180_000);
  },
);
