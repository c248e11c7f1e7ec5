import { readFile } from "node:fs/promises";
import { makeCustomer, type ObjectServer, startFakeObjectServer } from "@cadastre/delivery/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ask } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { flipBit } from "../support/flip-bit.ts";
import { end, type Program, says, startProgram } from "../support/program.ts";
import { type Pushing, pushingOf, pushSettings } from "../support/pushing.ts";
import { type Running, run } from "../support/running.ts";
import { subscriptionsRoot } from "../support/subscriptions.ts";

let running: Running;
afterEach(() => vi.unstubAllEnvs());

const operator = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await cadastre(args, {
    environment: { CADASTRE_DATA: running.folder.path, ...pushEnvironment },
  });
  return { code, stdout, text: `${stdout}\n${stderr}` };
};
let pushEnvironment: Readonly<Record<string, string>> = {};

const shown = async (id: string): Promise<string> => (await operator("delivery", "show", id)).stdout;
const json = async <T>(...args: readonly string[]): Promise<T> => {
  const { code, stdout, text } = await operator(...args, "--json");
  expect(code, text).toBe(0);
  return JSON.parse(stdout) as T;
};

/** Returns the commands that a text tells the operator to run. */
const commandsIn = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/`cadastre ([^`]+)`/g)].map(([, words = ""]) => words.split(" "));

const audit = async () =>
  (await readFile(running.folder.audit, "utf8"))
    .trim()
    .split("\n")
    .map(
      (line) =>
        JSON.parse(line) as { readonly action: string; readonly actor: object; readonly object: object },
    );

describe("without a worker", () => {
  beforeAll(async () => {
    running = await run({ CADASTRE_LISTINGS: "150", CADASTRE_WORKER: "false" });
    pushEnvironment = { CADASTRE_WORKER: "false" };
  }, 60_000);
  afterAll(() => running.stop());

  const startWorker = async (): Promise<Program> => {
    const worker = await startProgram("cli/main.ts", ["worker"], {
      CADASTRE_DATA: running.folder.path,
      CADASTRE_LOG_LEVEL: "silent",
    });
    await says(worker, "Building deliveries");
    return worker;
  };

  test("the queue is stuck: `delivery show` says that no worker runs, and the command that starts one", async () => {
    const national = customerOf(running);
    const ids = [await national.created(), await national.created(), await national.created()];
    const last = ids[2] ?? "";
    const listed = await operator("delivery", "list", "--status", "queued");
    expect(listed.stdout.split("\n")[0]).toMatch(/^ID +CUSTOMER +DOMAIN +KIND +PLACE +MODE +STATUS/);
    for (const id of ids) expect(listed.stdout).toContain(id);
    const text = await shown(last);
    expect(text).toContain("No worker runs, and 2 deliveries are before it.\n→ `cadastre worker`");
    expect(commandsIn(text)).toEqual([["worker"]]);
    const found = await json<{ readonly ahead: number; readonly reasons: readonly object[] }>(
      "delivery",
      "show",
      last,
    );
    expect(found).toMatchObject({
      id: last,
      customer: "demo-national",
      status: "queued",
      ahead: 2,
      reasons: [{ state: "mend", remedy: "`cadastre worker`" }],
    });
    const worker = await startWorker();
    expect(await national.finished(last)).toBe("complete");
    expect(await shown(last)).toMatch(/It is complete; the customer may fetch it until 20\d\d-/);
    await end(worker, "SIGTERM");
  }, 120_000);

  test("the entitlement has changed: `delivery show` says from which version to which, before and after a worker cancels it", async () => {
    const market = customerOf(running, "market");
    const id = await market.created();
    await entitle(running, "market", (before) => ({ ...before, products: ["listing"] }));
    const before = await shown(id);
    expect(before).toContain(
      "A worker will cancel it. It was asked for under version 1 of the entitlement of demo-market; version 2 is in force, and grants something else.\n→ `cadastre customer show demo-market`",
    );
    const worker = await startWorker();
    expect(await market.finished(id)).toBe("canceled");
    const after = await shown(id);
    expect(after).toContain("It was canceled: entitlement_changed: the entitlement has changed or expired.");
    expect(after).toContain(
      "version 2 is in force, and grants something else.\n→ `cadastre customer show demo-market`",
    );
    for (const command of commandsIn(after).slice(0, 1)) expect((await operator(...command)).code).toBe(0);
    // What the remedy ends with: the customer asks for another delivery.
    expect(await market.finished(await market.created())).toBe("complete");
    await end(worker, "SIGTERM");
    expect((await operator("delivery", "retry", id)).text).toContain("it is `canceled`");
  }, 120_000);

  test("what an operator changes is in the audit trail, and confirmed where it is for good", async () => {
    const national = customerOf(running);
    const id = await national.created();
    const refused = await operator("delivery", "cancel", id);
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("Nothing was changed")]);
    expect((await operator("delivery", "cancel", id, "--yes")).code).toBe(0);
    expect(dataOf(await national.get(`/v1/file-exports/${id}`))).toMatchObject({
      status: "canceled",
      failure: { code: "canceled_by_operator" },
    });
    const [done] = (await audit())
      .filter(({ action, object }) => action === "export.cancel" && "id" in object)
      .slice(-1);
    expect(done).toMatchObject({
      outcome: "done",
      actor: { type: "cli" },
      object: { id, customer: "demo-national" },
    });
    const waiting = await national.created();
    expect((await operator("delivery", "retry", waiting)).text).toContain("is `queued` and due");
    const unknown = await operator("delivery", "show", "01939b2e-0000-7000-8000-000000000000");
    expect([unknown.code, unknown.text]).toEqual([
      1,
      expect.stringContaining("`cadastre delivery list` shows the ids"),
    ]);
  }, 60_000);
});

describe("with a worker", () => {
  let server: ObjectServer;
  let pushing: Pushing;
  beforeAll(async () => {
    server = await startFakeObjectServer();
    pushEnvironment = pushSettings(server);
    running = await run({ CADASTRE_LISTINGS: "150", CADASTRE_ADMIN_PORT: "0", ...pushEnvironment });
    pushing = pushingOf(running, await makeCustomer(server), server);
  }, 60_000);
  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", server.service.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.service.secretAccessKey);
  });
  afterEach(() => server.failWhen(undefined));
  afterAll(async () => {
    await running.stop();
    await pushing.owner.close();
    await server.stop();
  });

  test("the destination is denied: `delivery show` says why, `destination check` tells when it is mended, and `delivery retry` delivers", async () => {
    const { national, destinations, deliveries } = pushing;
    const { id: destinationId } = await destinations.onboarded();
    const deny = () =>
      server.failWhen(({ method }) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : undefined));
    deny();
    const { id } = await deliveries.settled(await national.created({ deliveryMode: "push", destinationId }));
    const text = await shown(id);
    expect(text).toContain(
      "It has failed: destination_denied: the destination does not allow the publication: verify it.",
    );
    expect(commandsIn(text)).toEqual([
      ["destination", "check", destinationId],
      ["delivery", "retry", id],
    ]);
    const [check = [], retry = []] = commandsIn(text);
    const denied = await operator(...check);
    expect(denied.code).toBe(1);
    expect(denied.text).toContain(
      "is `degraded`: probe_denied: an object cannot be written and looked at below the prefix",
    );
    expect((await operator("destination", "list", "--status", "degraded")).stdout).toContain("probe_denied");
    server.failWhen(undefined);
    expect((await operator(...check)).text).toContain("is `active`.");
    // An active destination is verified again.
    expect((await operator(...check)).text).toContain("is `active`.");
    expect((await operator(...retry)).code).toBe(0);
    expect((await deliveries.settled(id)).status).toBe("complete");
    expect(await shown(id)).toContain("It is complete, in the customer's bucket.");
  }, 120_000);

  test("a bucket that denies replacing the pointer is told everywhere, until it allows it", async () => {
    const { destinations, subscriptions } = pushing;
    const { id: destinationId } = await destinations.onboarded();
    const denying = () =>
      server.failWhen(({ method, path }) =>
        method === "PUT" && path.includes("latest.json") ? { status: 403, code: "AccessDenied" } : undefined,
      );
    /** Has the next delivery made, once the scheduler knows that the one before is complete. */
    const goOn = async (sequence: number) => {
      await expect
        .poll(() => subscriptions.find(id), { timeout: 20_000 })
        .toMatchObject({ next_sequence: sequence });
      await subscriptions.hurry(id);
      await subscriptions.delivered(id, sequence);
    };
    denying();
    const id = await subscriptions.created(destinationId, "push");
    const seed = await subscriptions.delivered(id, 0);
    expect(seed.status).toBe("complete");
    const meaning = "he bucket denies that the pointer `latest.json` of a subscription is replaced";
    for (const what of [
      ["delivery", "show", seed.id],
      ["subscription", "show", id],
      ["destination", "show", destinationId],
    ]) {
      const { stdout } = await operator(...what);
      expect(stdout).toContain(meaning);
      expect(commandsIn(stdout)).toContainEqual(["destination", "check", destinationId]);
    }
    expect((await operator("destination", "list")).stdout).toMatch(/active +pointer_denied/);
    const since = { pointer_denied_since: expect.stringMatching(/Z$/) as string };
    expect(await destinations.find(destinationId)).toMatchObject({
      status: "active",
      failure: null,
      ...since,
    });
    expect(await subscriptions.find(id)).toMatchObject(since);
    const metric = async () => {
      const { text } = await ask(`http://127.0.0.1:${running.service.adminPort}`, "/metrics");
      return text.split("\n").find((line) => line.startsWith("cadastre_destinations_pointer_denied "));
    };
    await expect
      .poll(metric, { timeout: 30_000, interval: 500 })
      .toBe("cadastre_destinations_pointer_denied 1");
    const denials = async () => (await audit()).filter(({ action }) => action === "destination.deny_pointer");
    expect(await denials()).toMatchObject([
      { actor: { type: "worker" }, object: { id: destinationId, customer: "demo-national" } },
    ]);
    expect(running.log()).toContain("denies that the pointer of a subscription is replaced");
    await goOn(1);
    expect(await denials()).toHaveLength(1);

    // A verification finds it too.
    let probed = 0;
    server.failWhen(({ method, path }) =>
      method === "PUT" && path.includes(".probe-") && ++probed === 2
        ? { status: 403, code: "AccessDenied" }
        : undefined,
    );
    const checked = await operator("destination", "check", destinationId);
    expect([checked.code, checked.text]).toEqual([0, expect.stringContaining(meaning)]);
    server.failWhen(undefined);
    await goOn(2);
    expect(await destinations.find(destinationId)).toMatchObject({ pointer_denied_since: null });
    expect((await operator("subscription", "show", id)).stdout).not.toContain("pointer");
    expect((await operator("subscription", "cancel", id, "--yes")).code).toBe(0);
  }, 120_000);

  test("a subscription is listed with its reach, paused, resumed and canceled", async () => {
    const { national } = pushing;
    const body = {
      name: "daily\u0007 copy",
      domain: "listing",
      deliveryMode: "pull",
      cadenceSeconds: 86_400,
    };
    const { id } = dataOf<{ id: string }>(
      await national.post(subscriptionsRoot, { ...body, name: "daily copy" }),
    );
    const [seed] = await expect
      .poll(
        async () =>
          json<readonly { readonly id: string; readonly status: string }[]>(
            "delivery",
            "list",
            "--subscription",
            id,
          ),
        {
          timeout: 20_000,
        },
      )
      .toMatchObject([{ status: "complete" }])
      .then(() => json<readonly { readonly id: string }[]>("delivery", "list", "--subscription", id));
    const { meta } = await national.manifest(seed?.id ?? "");
    for (const reference of ["nightly load", "second load"])
      await national.post(`/v1/file-exports/${seed?.id}/acknowledge`, {
        generation: 1,
        sequence: 0,
        manifest_sha256: meta.manifest_sha256,
        customer_reference: reference,
      });
    const reach = { last_delivered: { delivery_id: seed?.id }, last_acknowledged: { sequence: 0 } };
    expect(
      await json("subscription", "list", "--customer", "demo-national", "--status", "active"),
    ).toMatchObject([{ id, ...reach }]);
    expect(await json("subscription", "show", id)).toMatchObject({ id, status: "active", ...reach });
    expect(await json("acknowledgement", "list", "--delivery", seed?.id ?? "")).toMatchObject([
      {
        delivery_id: seed?.id,
        subscription_id: id,
        references: [{ customer_reference: "nightly load" }, { customer_reference: "second load" }],
      },
    ]);
    const evidence = await operator("acknowledgement", "list", "--customer", "demo-national");
    expect(evidence.stdout).toContain("second load");
    expect((await operator("subscription", "pause", id)).code).toBe(0);
    const paused = (await operator("subscription", "show", id)).stdout;
    expect(paused).toContain(`It is paused.\n→ \`cadastre subscription resume ${id}\``);
    const [resume = []] = commandsIn(paused);
    expect(await json(...resume)).toMatchObject({ id, status: "active" });
    expect((await operator("subscription", "cancel", id)).code).toBe(1);
    expect((await operator("subscription", "cancel", id, "--yes")).code).toBe(0);
    expect(await json("subscription", "list")).toEqual([]);
    expect(await json("subscription", "list", "--status", "canceled")).toContainEqual(
      expect.objectContaining({ id, status: "canceled" }),
    );
  }, 120_000);

  test("stored parts are checked, and what is damaged is rebuilt", async () => {
    const { national } = pushing;
    const id = await national.complete();
    expect((await operator("delivery", "check", id)).text).toContain("match their hashes");
    const { data } = await national.manifest(id);
    const { sha256 = "", number } = data.parts[0] ?? {};
    await flipBit(`${running.folder.exports}/parts/${sha256.slice(0, 2)}/${sha256}`, 40);
    const damaged = await operator("delivery", "check", id);
    expect(damaged.code).toBe(1);
    expect(damaged.text).toContain(`Part ${number}: part_damaged`);
    await expect
      .poll(async () => (await operator("delivery", "check", id)).code, { timeout: 30_000, interval: 250 })
      .toBe(0);
  }, 120_000);

  test("a webhook is shown by its host alone, with what waits for it", async () => {
    const { national } = pushing;
    const url = "https://hooks.example.com/secret-path";
    const { id } = dataOf<{ id: string }>(await national.post("/v1/webhooks", { url }));
    await national.post(`/v1/webhooks/${id}/test`, {});
    const listed = (await operator("webhook", "list")).stdout;
    expect(listed).toContain("https://hooks.example.com ");
    expect(listed).not.toContain("secret-path");
    expect((await operator("webhook", "show", id)).stdout).not.toContain("secret-path");
    expect(await json("webhook", "resume", id)).toMatchObject({ id, customer: "demo-national" });
    expect((await audit()).filter(({ action }) => action === "webhook.resume")).toHaveLength(1);
  }, 60_000);
});
