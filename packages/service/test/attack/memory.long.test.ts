import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Attacked, attack, besideOthers, send, startUnderAttack, strength } from "./under-attack.ts";
import { requireUnharmed } from "./unharmed.ts";

const plain = { id: "plain", version: 1, domain: "listing", format: "jsonl", compression: "none" };

let service: Attacked;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-attack-profiles-"));
  const profiles = join(folder, "profiles.json");
  await writeFile(profiles, JSON.stringify({ profiles: [plain], defaults: { listing: plain.id } }));
  service = await startUnderAttack({
    CADASTRE_IDLE_SECONDS: "3",
    CADASTRE_REQUESTS_PER_SECOND: "0",
    CADASTRE_EXPORT_PROFILES: profiles,
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const collection = "/reso/odata/Property?$top=1000";
const full = `${collection}&$format=application/json;odata.metadata=full`;

/** Sends requests of the attacker, all at the same time. */
const attackWith = (
  count: number,
  target: string,
  headers: Readonly<Record<string, string>>,
  reads: boolean,
) =>
  Array.from({ length: count * strength }, () =>
    send(service.baseUrl, target, { "x-api-key": service.attacker, ...headers }, reads),
  );

test("forty pages with full metadata at the same time are answered or refused", besideOthers, async () => {
  const statuses: number[] = [];
  const seen = await service.during(async () => {
    const sent = attackWith(40, full, {}, true);
    for (const { status } of await Promise.all(sent.map(({ closed }) => closed))) statuses.push(status);
  });
  requireUnharmed(seen);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
});

attack.each([
  ["plain", collection, {}],
  ["compressed", collection, { "accept-encoding": "br" }],
  ["full", full, {}],
])(
  "eighty clients that never read a %s page are cut, and hold a bounded share meanwhile",
  async (_form, target, headers) => {
    const seen = await service.during(async () => {
      const sent = attackWith(80, target, headers, false);
      // Admitted ones are closed after 3 s of reading nothing; the others are refused after at most 10 s.
      await wait(12_000);
      for (const { socket } of sent) socket.destroy();
    });
    requireUnharmed(seen);
    const after = send(service.baseUrl, target, { "x-api-key": service.attacker }, true);
    expect((await after.closed).status).toBe(200);
  },
  240_000,
);

attack(
  "a hundred clients that never read a part are cut",
  async () => {
    const target = "/v1/file-downloads/redeem";
    const authorization = `Bearer ${await grantOfPart()}`;
    const seen = await service.during(async () => {
      const sent = attackWith(100, target, { authorization }, false);
      await wait(12_000);
      for (const { socket } of sent) socket.destroy();
    });
    requireUnharmed(seen);
    const headers = { "x-api-key": service.attacker, authorization };
    expect((await send(service.baseUrl, target, headers, true).closed).status).toBe(200);
  },
  240_000,
);

attack(
  "connections that send their headers slowly are answered 408 and closed",
  async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const seen = await service.during(async () => {
      const closed = Array.from({ length: 200 * strength }, async () => {
        const socket = connect({ host: hostname, port: Number(port) });
        const slowly = setInterval(() => socket.write("x-a: b\r\n"), 1000);
        let text = "";
        socket.on("data", (chunk) => {
          text += chunk.toString();
        });
        socket.on("error", () => {});
        socket.write("GET / HTTP/1.1\r\n");
        await once(socket, "close");
        clearInterval(slowly);
        return text.slice(9, 12);
      });
      expect(new Set(await Promise.all(closed))).toEqual(new Set(["408"]));
    });
    requireUnharmed(seen);
  },
  60_000,
);

attack(
  "connections without a key that send long headers and never end them hold a bounded share",
  async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const lines = Array.from({ length: 120 }, (_, i) => `x-${i}: ${"b".repeat(1000)}\r\n`);
    const unfinished = `GET / HTTP/1.1\r\n${lines.join("")}`;
    const seen = await service.during(async () => {
      const sockets = [];
      for (let i = 0; i < 4000; i += 1) {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on("error", () => {});
        socket.write(unfinished);
        sockets.push(socket);
        if (i % 100 === 0) await wait(50);
      }
      await wait(3000);
      for (const socket of sockets) socket.destroy();
    });
    requireUnharmed(seen);
  },
  60_000,
);

attack(
  "a thousand connections at the same time hold the event loop for no longer than one",
  async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const statuses: string[] = [];
    const seen = await service.during(async () => {
      for (let round = 0; round < 3; round += 1) {
        const sockets = Array.from({ length: 1000 }, () => connect({ host: hostname, port: Number(port) }));
        const answered = sockets.map(async (socket) => {
          socket.on("error", () => {});
          socket.write(
            `GET ${collection.replace("1000", "1")} HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${service.attacker}\r\n\r\n`,
          );
          const [chunk] = (await once(socket, "data")) as [Buffer];
          statuses.push(chunk.toString("latin1", 9, 12));
        });
        await Promise.all(answered);
        for (const socket of sockets) socket.destroy();
      }
    });
    requireUnharmed(seen);
    expect(statuses.filter((status) => !["200", "429", "503"].includes(status))).toEqual([]);
  },
  60_000,
);

attack(
  "connections that send the body of a batch slowly hold a bounded share",
  async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const length = 1_048_576;
    const head = [
      "POST /reso/odata/$batch HTTP/1.1",
      `Host: ${hostname}`,
      `X-API-Key: ${service.attacker}`,
      "Content-Type: application/json",
      `Content-Length: ${length}`,
    ];
    // The whole request except for its last byte.
    const unfinished = `${head.join("\r\n")}\r\n\r\n${" ".repeat(length - 1)}`;
    const refused = new Set<string>();
    const seen = await service.during(async () => {
      const sockets = Array.from({ length: 400 }, () => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on("error", () => {});
        socket.on("data", (chunk) => refused.add(chunk.toString("latin1", 9, 12)));
        socket.write(unfinished);
        return socket;
      });
      // Requests that get no memory are refused after 10 s.
      await wait(15_000);
      for (const socket of sockets) socket.destroy();
    });
    requireUnharmed(seen);
    expect(refused).toEqual(new Set(["429"]));
  },
  60_000,
);

/** Returns a token for a part that is too large for the buffers of a connection. */
async function grantOfPart(): Promise<string> {
  const root = `${service.baseUrl}/v1/file-exports`;
  const headers = { "x-api-key": service.attacker, "content-type": "application/json" };
  const ask = async (path: string, init: RequestInit = {}) => {
    const { data } = (await (await fetch(root + path, { headers, ...init })).json()) as {
      readonly data: {
        readonly id: string;
        readonly status: string;
        readonly bearer_token: string;
        readonly parts: readonly { readonly number: number; readonly byteLength: number }[];
      };
    };
    return data;
  };
  const asked = { domain: "listing", deliveryMode: "pull", idempotencyKey: "attack", profileId: "plain" };
  const { id } = await ask("", { method: "POST", body: JSON.stringify(asked) });
  while ((await ask(`/${id}`)).status !== "complete") await wait(100);
  const [longest] = (await ask(`/${id}/manifest`)).parts.toSorted((a, b) => b.byteLength - a.byteLength);
  expect(longest?.byteLength).toBeGreaterThan(4_000_000);
  return (await ask(`/${id}/download?part=${longest?.number}`)).bearer_token;
}
