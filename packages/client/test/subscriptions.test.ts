import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runHere } from "./support/program.ts";
import { json, startServer, type TestServer } from "./support/server.ts";
import { remoteSubscription, subscriptionTrick } from "./support/subscriptions.ts";

const root = "/v1/file-export-subscriptions";

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const at = () => ["--url", server.url, "--tries", "3"];
const settings = ["--name", "nightly", "--domain", "listing", "--cadence", "24h", "--minute", "04:00"];
const nightly = () => ["subscribe", ...settings, ...at()];
const posted = () =>
  server.requests
    .filter(({ method, url }) => method === "POST" && url === root)
    .map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);

/** Answers the list with these subscriptions, and each creation with the next of the answers. */
const serve = (listed: readonly object[], ...answers: readonly (readonly [number, object])[]) => {
  const waiting = [...answers];
  server.trick = ({ method, url }, response) => {
    if (method === "GET" && url === `${root}?limit=500`)
      return json(response, 200, { data: listed, meta: {} });
    const [status, body] = waiting.shift() ?? [500, {}];
    return json(response, status, body);
  };
};

describe("subscribe", () => {
  test("sends what was said, and prints the id and how to go on", async () => {
    serve([], [201, { data: remoteSubscription, meta: {} }]);
    const { code, stdout, stderr } = await runHere(nightly());
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${remoteSubscription.id}\n` });
    expect(stderr).toContain("Subscribed to listing every 1d as `nightly`.");
    expect(stderr).toContain(
      `cadastre-client follow --subscription ${remoteSubscription.id} --url ${server.url}`,
    );
    expect(posted()).toEqual([
      {
        name: "nightly",
        domain: "listing",
        deliveryMode: "pull",
        cadenceSeconds: 86_400,
        preferredMinuteOfDay: 240,
        emptyDeliveryBehavior: "manifest_only",
        idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
    ]);
  });

  test("sends a filter and fields, and tells a subscription with others", async () => {
    const filter = "City eq 'Austin'";
    const asked = [...nightly(), "--filter", filter, "--select", "City, ListPrice"];
    const remote = { ...remoteSubscription, filter, select: ["City", "ListPrice"] };
    serve([], [201, { data: remote, meta: {} }]);
    expect(await runHere(asked)).toMatchObject({ code: 0 });
    expect(posted()).toMatchObject([{ filter, select: ["City", "ListPrice"] }]);
    serve([remote]);
    expect(await runHere(asked)).toMatchObject({ code: 0 });
    const { filter: _, select: __, ...earlier } = remoteSubscription;
    for (const other of [{ ...remote, select: ["City"] }, remoteSubscription, earlier]) {
      serve([other]);
      const { code, stderr } = await runHere(asked);
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("`select` is")]);
    }
    expect(posted()).toHaveLength(1);
  });

  test("repeats a request that was not answered with the same idempotency key, so that nothing is created twice", async () => {
    serve([], [503, { error: "service_unavailable" }], [201, { data: remoteSubscription, meta: {} }]);
    expect(await runHere(nightly())).toMatchObject({ code: 0 });
    const keys = posted().map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test("creates nothing if the subscription exists, and takes a canceled one for none", async () => {
    serve([remoteSubscription]);
    expect(await runHere([...nightly(), "--json"])).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ ...remoteSubscription, isNew: false })}\n`,
    });
    expect(posted()).toEqual([]);
    serve([{ ...remoteSubscription, status: "canceled" }], [201, { data: remoteSubscription, meta: {} }]);
    expect(await runHere(nightly())).toMatchObject({ code: 0 });
    expect(posted()).toHaveLength(1);
  });

  test.each<readonly [string, object]>([
    ["domain", { domain: "property" }],
    ["deliveryMode", { deliveryMode: "both" }],
    ["cadenceSeconds", { cadenceSeconds: 3600 }],
    ["preferredMinuteOfDay", { preferredMinuteOfDay: null }],
    ["emptyDeliveryBehavior", { emptyDeliveryBehavior: "skip" }],
    ["destinationId", { destinationId: "d" }],
  ])("is refused if the subscription of that name has another %s", async (member, other) => {
    serve([{ ...remoteSubscription, ...other }]);
    const { code, stderr } = await runHere(nightly());
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(`subscription_differs: .*\\(\`${member}\` is `),
    ]);
    expect(posted()).toEqual([]);
  });

  test.each<readonly [number, string, string]>([
    [400, "invalid_name", "the server refuses `--name` (`invalid_name`): it must be 1 to 128 characters"],
    [409, "subscription_exists", "the server refuses `--name` (`subscription_exists`)"],
    [403, "entitlement_denied", "the server refuses `--domain` (`entitlement_denied`)"],
    [404, "not_found", "the server refuses `--destination` (`not_found`): you have no such destination"],
    [403, "capability_required", "the server refuses `--mode` (`capability_required`)"],
    [418, "teapot", "request_refused: the server refuses the request with 418 (`teapot`)"],
  ])("names the option that the server refuses with %d %s", async (status, error, words) => {
    serve([], [status, { error }]);
    const { code, stdout, stderr } = await runHere(nightly());
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(words);
  });

  test("does not believe an answer without the form of the contract", async () => {
    serve([], [201, { data: { ...remoteSubscription, id: "../../x" }, meta: {} }]);
    const { code, stdout, stderr } = await runHere(nightly());
    expect([code, stdout, stderr]).toEqual([5, "", expect.stringContaining("answer_malformed")]);
  });
});

describe("subscriptions", () => {
  test("are listed without the canceled ones", async () => {
    serve([remoteSubscription, { ...remoteSubscription, id: "gone", name: "old", status: "canceled" }]);
    const listed = async (...more: readonly string[]) => {
      const { stdout } = await runHere(["subscriptions", "list", ...at(), "--json", ...more]);
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    };
    expect(await listed()).toEqual(["nightly"]);
    expect(await listed("--all")).toEqual(["nightly", "old"]);
    const { stdout } = await runHere(["subscriptions", "list", ...at()]);
    expect(stdout).toMatch(
      /^NAME +DOMAIN +EVERY +MODE +STATUS +NEXT DUE +ID\nnightly +listing +1d +pull +active +in /,
    );
  });

  test("say why they are suspended", async () => {
    const failure = { code: "entitlement_expired" };
    server.trick = subscriptionTrick({
      ...remoteSubscription,
      status: "suspended",
      failure,
      next_due_at: null,
    });
    const { stdout } = await runHere(["subscriptions", "show", "nightly", ...at()]);
    expect(stdout).toMatch(/^status +suspended \(entitlement_expired\)$/m);
    expect(stdout).toMatch(/^next due +–$/m);
  });

  test("are ended by nobody who was not asked", async () => {
    server.trick = subscriptionTrick(remoteSubscription);
    const cancel = ["subscriptions", "cancel", remoteSubscription.id, ...at()];
    const { code, stderr } = await runHere(cancel);
    expect([code, stderr]).toEqual([2, expect.stringContaining("not_confirmed: This ends the subscription")]);
    expect(server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await runHere([...cancel, "--yes"])).toMatchObject({ code: 0 });
    expect(server.requests.at(-1)).toMatchObject({
      method: "DELETE",
      url: `${root}/${remoteSubscription.id}`,
    });
  });
});
