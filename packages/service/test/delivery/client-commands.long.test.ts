import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { verifyEntityEvents, verifyWebhook } from "@cadastre/client";
import { compilePackages } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { runClient } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";
import { hurry, subscriptionsRoot } from "../support/subscriptions.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-client-commands-"));
const main = fileURLToPath(new URL("../../../client/dist/cli/main.js", import.meta.url));

let running: Running;
let national: ReturnType<typeof customerOf>;
beforeAll(async () => {
  running = await run({
    CADASTRE_LISTINGS: "60",
    CADASTRE_WEBHOOK_LOOPBACK: "true",
    CADASTRE_EXTENSIONS: "delta,expand,event",
  });
  national = customerOf(running);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

const environment = () => ({ CADASTRE_API_KEY: running.key("national") });

/** Runs a command of the client against the service. */
const client = (...args: readonly string[]) =>
  runClient([...args, "--url", running.service.baseUrl], environment());

/** Runs a command with `--json`, and returns what it prints. */
async function json<T>(...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await client(...args, "--json");
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as T;
}

type Subscription = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly isNew: boolean;
  readonly next_due_at: string | null;
};

const nightly = [
  "subscribe",
  "--name",
  "nightly",
  "--domain",
  "listing",
  "--cadence",
  "1d",
  "--minute",
  "04:00",
];

const soon = { timeout: 30_000, interval: 50 };

/** Waits until a delivery of a subscription is complete. */
const delivered = (id: string, generation: number, sequence: number) =>
  expect
    .poll(async () => {
      const [last] = dataOf<{ status: string; generation: number; sequence: number }[]>(
        await national.get(`${subscriptionsRoot}/${id}/deliveries?limit=1`),
      );
      return last && [last.status, last.generation, last.sequence];
    }, soon)
    .toEqual(["complete", generation, sequence]);

describe("a subscription", () => {
  test("is created once, however often the same command is run", async () => {
    const created = await json<Subscription>(...nightly);
    expect(created).toMatchObject({
      name: "nightly",
      domain: "listing",
      deliveryMode: "pull",
      cadenceSeconds: 86_400,
      preferredMinuteOfDay: 240,
      isNew: true,
    });
    const again = await client(...nightly);
    expect(again).toMatchObject({ code: 0, stdout: `${created.id}\n` });
    expect(again.stderr).toContain("You are subscribed already to listing every 1d as `nightly`.");
    expect(await json<Subscription[]>("subscriptions", "list")).toMatchObject([{ id: created.id }]);
  });

  test("of the same name with other settings is refused, and says which differ", async () => {
    const { code, stderr } = await client(...nightly.slice(0, 5), "--cadence", "6h");
    expect(code).toBe(3);
    expect(stderr).toContain("`cadenceSeconds` is 86400, `preferredMinuteOfDay` is 240");
  });

  test.each<readonly [string, readonly string[], string]>([
    [
      "unknown_profile",
      ["--profile", "nope"],
      "refuses `--profile` (`unknown_profile`): it must be an output profile",
    ],
    ["destination_required", ["--mode", "push"], "refuses `--destination`"],
  ])("that the service refuses with %s names the option", async (_, more, words) => {
    const { code, stderr } = await client(
      "subscribe",
      "--name",
      "x",
      "--domain",
      "listing",
      "--cadence",
      "1d",
      ...more,
    );
    expect([code, stderr]).toEqual([3, expect.stringContaining(words)]);
  });

  test("is shown with its status, what was delivered, loaded and acknowledged, and the lag of its copy", async () => {
    const { id } = await json<Subscription>("subscriptions", "show", "nightly");
    await delivered(id, 1, 0);
    const into = `sqlite:${join(folder, "copy.sqlite")}`;
    const status = async () => {
      const [line] = await json<readonly Record<string, unknown>[]>("status", "--into", into);
      return line;
    };
    const missing = await client("status", "--into", into);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("copy_missing")]);
    expect(existsSync(into.slice(7))).toBe(false);

    const follow = [
      "follow",
      "--subscription",
      id,
      "--into",
      into,
      "--staging",
      join(folder, "staging"),
      "--once",
    ];
    expect((await client(...follow, "--no-acknowledge")).code).toBe(0);
    expect(await status()).toMatchObject({
      subscriptionId: id,
      subscription: { name: "nightly", status: "active" },
      delivered: { generation: 1, sequence: 0, completedAt: expect.any(String) as string },
      acknowledged: null,
      nextDueAt: expect.any(String) as string,
      copy: { target: into, loaded: { generation: 1, sequence: 0 }, deliveriesBehind: 0 },
    });

    expect((await client(...follow)).code).toBe(0);
    await hurry(national, id);
    await delivered(id, 1, 1);
    expect(await status()).toMatchObject({
      delivered: { sequence: 1 },
      acknowledged: { generation: 1, sequence: 0, acknowledgedAt: expect.any(String) as string },
      copy: { loaded: { sequence: 0 }, deliveriesBehind: 1 },
    });
    const { stdout } = await client("status", "--into", into);
    expect(stdout).toMatch(/^SUBSCRIPTION +STATUS +DELIVERED +COPY +LOADED +LAG +ACKNOWLEDGED +NEXT DUE\n/);
    expect(stdout).toMatch(
      /nightly +active +1\.1 .* 1 delivery, data of .* 1\.0 just now +in \d+ (?:minutes|hours?)\n$/,
    );

    const offline = await runClient(["status", "--into", into, "--json"], {});
    expect(JSON.parse(offline.stdout)).toMatchObject([
      { subscriptionId: id, subscription: null, copy: { loaded: { sequence: 0 }, deliveriesBehind: null } },
    ]);
  }, 60_000);

  test("is paused, resumed, reset and canceled, by its name", async () => {
    const states: string[] = [];
    for (const change of ["pause", "resume", "reset"])
      states.push((await json<Subscription>("subscriptions", change, "nightly")).status);
    expect(states).toEqual(["paused", "active", "resetting"]);
    const listed = await client("subscriptions", "deliveries", "nightly");
    expect(listed.stdout).toMatch(/^PLACE +STATUS +CREATED +COMPLETED +ACKNOWLEDGED +ID\n/);

    const unconfirmed = await client("subscriptions", "cancel", "nightly");
    expect(unconfirmed).toMatchObject({ code: 2, stdout: "" });
    expect(unconfirmed.stderr).toContain(
      "This ends the subscription `nightly` of listing for good. Nothing was changed",
    );
    const [before] = await json<Subscription[]>("subscriptions", "list");
    expect(before?.status).not.toBe("canceled");

    expect(await json<Subscription>("subscriptions", "cancel", "nightly", "--yes")).toMatchObject({
      status: "canceled",
      next_due_at: null,
    });
    expect(await json<Subscription[]>("subscriptions", "list")).toEqual([]);
    expect(await json<Subscription[]>("subscriptions", "list", "--all")).toHaveLength(1);
    const gone = await client("subscriptions", "show", "nightly");
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining("subscription_unknown")]);
    // The name is free again.
    const next = await json<Subscription>(...nightly);
    expect(next).toMatchObject({ isNew: true });
    // Its delivery must not be told to the webhooks of later tests.
    await delivered(next.id, 1, 0);
  });
});

describe("listen", () => {
  type Listening = {
    readonly stdout: () => string;
    readonly stderr: () => string;
    readonly stop: () => Promise<number | null>;
    readonly ended: Promise<number | null>;
  };

  /** Starts the client's receiver on a free port. */
  async function listen(...args: readonly string[]): Promise<Listening> {
    await compilePackages();
    const flags = ["listen", "--port", "0", "--json", ...args];
    const child = spawn(process.execPath, [main, ...flags], {
      env: { PATH: process.env["PATH"], ...environment() },
    });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (chunk: Buffer) => {
        texts[name] += chunk.toString();
      });
    const ended = once(child, "close").then(([code]) => code as number | null);
    onTestFinished(() => void child.kill("SIGKILL"));
    return {
      stdout: () => texts.stdout,
      stderr: () => texts.stderr,
      stop: () => {
        child.kill("SIGINT");
        return ended;
      },
      ended,
    };
  }

  const registered = async () => dataOf<{ id: string; url: string }[]>(await national.get("/v1/webhooks"));
  const register = () => ["--register", "--url", running.service.baseUrl];

  test("registers a webhook, prints what it is sent, and deletes it at the end", async () => {
    const listening = await listen(...register(), "--test", "--count", "2");
    await expect.poll(listening.stdout, soon).toContain("webhook.test");
    expect(await registered()).toMatchObject([
      { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/) as string },
    ]);
    const id = await national.complete();
    expect(await listening.ended).toBe(0);
    const [first, second] = listening.stdout().trim().split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({ type: "webhook.test", isRepeated: false, status: 204 });
    expect(JSON.parse(second ?? "")).toMatchObject({ type: "delivery.completed", data: { delivery_id: id } });
    expect(await registered()).toEqual([]);
  }, 60_000);

  test("forwards messages unchanged, so that their receiver can verify them, and answers as it does", async () => {
    const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
    const statuses = [500, 204];
    const application = createServer((request, response) => {
      void buffer(request).then((body) => {
        received.push({ headers: request.headers, body });
        response.writeHead(statuses.shift() ?? 204).end();
      });
    });
    application.listen(0, "127.0.0.1");
    await once(application, "listening");
    onTestFinished(() => void application.close());
    const { port } = application.address() as AddressInfo;
    const secretFile = join(folder, "secret");
    const listening = await listen(
      ...register(),
      "--test",
      "--secret-out",
      secretFile,
      "--forward-to",
      `http://127.0.0.1:${port}/hook`,
    );
    await expect.poll(() => received.length, soon).toBeGreaterThan(0);
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    const secret = readFileSync(secretFile, "utf8").trim();
    const [first] = received;
    expect(verifyWebhook(first?.headers ?? {}, first?.body ?? "", secret)).toMatchObject({
      type: "webhook.test",
    });
    // The service takes the answer of the application for that of the webhook, and sends the message again.
    await expect.poll(() => received.length, soon).toBe(2);
    await expect.poll(() => listening.stdout().trim().split("\n").length, soon).toBe(2);
    const answers = listening
      .stdout()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { status: number }).status);
    expect(answers).toEqual([500, 204]);
    expect(await listening.stop()).toBe(0);
    expect(existsSync(secretFile)).toBe(false);
    expect(await registered()).toEqual([]);
    expect(listening.stdout() + listening.stderr()).not.toContain(secret);
  }, 60_000);

  test("prints the events of records that are pushed, and forwards them with their token", async () => {
    const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
    const application = createServer((request, response) => {
      void buffer(request).then((body) => {
        received.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    application.listen(0, "127.0.0.1");
    await once(application, "listening");
    onTestFinished(() => void application.close());
    const { port } = application.address() as AddressInfo;
    const secretFile = join(folder, "event-secret");
    const forwarding = ["--forward-to", `http://127.0.0.1:${port}/hook`, "--secret-out", secretFile];
    const listening = await listen(...register(), "--events", "entity.changed", ...forwarding);
    await expect.poll(listening.stdout, soon).toContain("EntityEventSequence");
    const secret = readFileSync(secretFile, "utf8").trim();
    const [line = ""] = listening.stdout().split("\n");
    const [first] = received;
    const { events } = verifyEntityEvents(first?.headers ?? {}, first?.body ?? "", secret);
    expect(events.length).toBeGreaterThan(0);
    expect(first?.headers["authorization"]).toMatch(/^Bearer [\w-]{43}$/);
    expect(JSON.parse(line)).toMatchObject({ events, isRepeated: false, status: 204 });
    expect(await listening.stop()).toBe(0);
    expect(await registered()).toEqual([]);
  }, 60_000);

  test("does not replace a file by the secret, and deletes its webhook then too", async () => {
    const file = join(folder, "taken");
    writeFileSync(file, "mine");
    const listening = await listen(...register(), "--secret-out", file);
    expect(await listening.ended).toBe(8);
    expect(listening.stderr()).toContain("file_occupied");
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(await registered()).toEqual([]);
  });

  test("tells of a webhook that a killed run has left behind, and deletes it with --yes", async () => {
    const address = ["--public-url", "http://127.0.0.1:9/", ...register()];
    const left = dataOf<{ id: string }>(await national.post("/v1/webhooks", { url: "http://127.0.0.1:9/" }));
    const warned = await listen(...address);
    await expect.poll(warned.stderr, soon).toContain("Listening on");
    expect(warned.stderr()).toContain(`The webhook ${left.id} leads to http://127.0.0.1:9/ too`);
    expect(await warned.stop()).toBe(0);
    expect(await registered()).toMatchObject([{ id: left.id }]);
    const cleaned = await listen(...address, "--yes");
    await expect.poll(cleaned.stderr, soon).toContain("Listening on");
    expect(await cleaned.stop()).toBe(0);
    expect(await registered()).toEqual([]);
  });
});
