import { createHash, createPublicKey, verify } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ask } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
import { customerOf, dataOf, type ManifestReply, refusal } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";
import { runSql } from "../support/sql.ts";

const root = "/v1/file-exports";
const redemption = "/v1/file-downloads/redeem";
const nowhere = "01939b2e-0000-7000-8000-000000000000";

let running: Running;
let national: ReturnType<typeof customerOf>;
let market: ReturnType<typeof customerOf>;
/** A complete delivery of `national`. */
let complete: string;
let manifest: ManifestReply;

beforeAll(async () => {
  // What is done every few minutes is done when the test says.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  running = await run({ CADASTRE_LISTINGS: "150" });
  national = customerOf(running);
  market = customerOf(running, "market");
  complete = await national.complete({ idempotencyKey: "first" });
  manifest = await national.manifest(complete);
});
afterAll(async () => {
  await running.stop();
  vi.useRealTimers();
});

/** Change the registry by hand. */
const registrySql = (statement: string, ...values: readonly unknown[]) =>
  runSql(running.folder, "registry", statement, ...values);

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const pull = { domain: "listing", deliveryMode: "pull", idempotencyKey: "key" };

describe("an export", () => {
  test("is accepted, found at its location, and the same for the same request", async () => {
    const first = await national.create({ idempotencyKey: "same" });
    const { id } = dataOf<{ id: string }>(first);
    expect(first.status).toBe(202);
    expect(first.headers["location"]).toBe(`${root}/${id}`);
    expect(first.headers["cache-control"]).toBe("no-store");
    expect(JSON.parse(first.text)).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        status: "queued",
        domain: "listing",
        deliveryMode: "pull",
        destinationId: null,
        createdAt: expect.stringMatching(/^\d{4}-.+Z$/) as string,
      },
      meta: { entitlement_version: 1 },
    });
    await national.finished(id);
    const again = await national.create({ idempotencyKey: "same" });
    expect([again.status, again.text, again.headers["location"]]).toEqual([202, first.text, `${root}/${id}`]);
    expect([first, again].map(({ headers }) => headers["idempotency-replayed"])).toEqual([undefined, "true"]);
    expect(refusal(await national.create({ idempotencyKey: "same", domain: "property" }))).toEqual([
      409,
      "idempotency_conflict",
    ]);
    // Keys of another customer have nothing to do with it.
    const foreign = await market.create({ idempotencyKey: "same" });
    expect([foreign.status, dataOf<{ id: string }>(foreign).id === id]).toEqual([202, false]);
  });

  test.each<[string, unknown, number, string]>([
    ["no JSON", "{", 400, "invalid_request"],
    ["no object", "[]", 400, "invalid_request"],
    ["an unknown member", { ...pull, extra: 1 }, 400, "invalid_request"],
    ["a member less", { domain: "listing", deliveryMode: "pull" }, 400, "invalid_request"],
    ["another type", { ...pull, idempotencyKey: 1 }, 400, "invalid_request"],
    ["an empty key", { ...pull, idempotencyKey: "" }, 400, "invalid_request"],
    ["a long key", { ...pull, idempotencyKey: "k".repeat(256) }, 400, "invalid_request"],
    ["another mode", { ...pull, deliveryMode: "fax" }, 400, "invalid_request"],
    ["an unknown domain", { ...pull, domain: "weather" }, 400, "unknown_domain"],
    ["an unknown profile", { ...pull, profileId: "property-csv" }, 400, "unknown_profile"],
    ["a push without a destination", { ...pull, deliveryMode: "push" }, 400, "destination_required"],
    ["a push", { ...pull, deliveryMode: "both", destinationId: "d" }, 503, "push_unavailable"],
  ])("with %s is refused", async (_, body, status, code) => {
    expect(refusal(await national.post(root, body))).toEqual([status, code]);
  });

  test("of a product that is not granted is refused", async () => {
    const state = customerOf(running, "state");
    expect(refusal(await state.create({ domain: "public_record" }))).toEqual([403, "entitlement_denied"]);
  });

  test("takes JSON alone, and not much of it", async () => {
    const text = JSON.stringify(pull);
    const typed = (type: string) => national.post(root, text, { "content-type": type });
    expect(refusal(await typed("text/plain"))).toEqual([415, "unsupported_media_type"]);
    expect(refusal(await national.post(root, "x".repeat(20_000)))).toEqual([413, "body_too_large"]);
  });

  test("that is complete cannot be canceled; nor can one of another customer", async () => {
    const cancel = (id: string, headers = national.headers) =>
      ask(running.service.baseUrl, `${root}/${id}`, headers, "DELETE");
    expect(refusal(await cancel(complete))).toEqual([409, "delivery_not_open"]);
    expect(refusal(await cancel(complete, market.headers))).toEqual([404, "not_found"]);
  });
});

describe("the list", () => {
  test("has the complete deliveries of the customer, a page at a time, the last one first", async () => {
    const state = customerOf(running, "state");
    const ids: string[] = [];
    for (const domain of ["listing", "property", "listing"]) ids.push(await state.complete({ domain }));
    type Page = {
      readonly data: readonly { readonly id: string; readonly status: string }[];
      readonly meta: { readonly count: number; readonly next_after: string | null };
    };
    const page = async (query: string) => JSON.parse((await state.get(`${root}${query}`)).text) as Page;
    const all = await page("");
    expect(all.meta).toEqual({ entitlement_version: 1, count: 3, next_after: null });
    expect(all.data.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(new Set(all.data.map(({ status }) => status))).toEqual(new Set(["complete"]));
    const first = await page("?limit=2");
    const after = first.meta.next_after ?? "";
    const second = await page(`?limit=2&after=${encodeURIComponent(after)}`);
    expect([...first.data, ...second.data]).toEqual(all.data);
    expect(second.meta.next_after).toBeNull();
    // A cursor is its customer's, and as it was given.
    expect(refusal(await national.get(`${root}?after=${after}`))).toEqual([400, "invalid_cursor"]);
    for (const other of [`x${after}`, after.slice(0, -1), "", "a.b"])
      expect(refusal(await state.get(`${root}?after=${other}`))).toEqual([400, "invalid_cursor"]);
  });

  test("has fifty deliveries on a page, unless the request says", async () => {
    const coarse = customerOf(running, "coarse");
    const id = await coarse.complete({ domain: "property" });
    const [row = {}] = await registrySql("select * from cadastre_delivery where id = ?", id);
    const insert = `insert into cadastre_delivery (${Object.keys(row).join()}) values (${Object.keys(row)
      .map(() => "?")
      .join()})`;
    for (let nth = 10; nth < 60; nth++)
      await registrySql(insert, ...Object.values({ ...row, id: nowhere.slice(0, -2) + nth }));
    const page = JSON.parse((await coarse.get(root)).text) as { readonly meta: object };
    expect(page.meta).toMatchObject({ count: 50, next_after: expect.any(String) as string });
  });

  test.each(["0", "501", "-1", "1.5", "x", ""])("takes no limit `%s`", async (limit) => {
    expect(refusal(await national.get(`${root}?limit=${limit}`))).toEqual([400, "invalid_limit"]);
  });

  test("takes no other parameter, and none twice", async () => {
    expect(refusal(await national.get(`${root}?status=queued`))).toEqual([400, "unknown_parameter"]);
    expect(refusal(await national.get(`${root}?limit=1&limit=2`))).toEqual([400, "duplicate_parameter"]);
    expect(refusal(await national.get(`${root}/${complete}?x=1`))).toEqual([400, "unknown_parameter"]);
  });
});

test("the status says how far a delivery is", async () => {
  const reply = await national.get(`${root}/${complete}`);
  expect(dataOf(reply)).toEqual({
    id: complete,
    status: "complete",
    domain: "listing",
    deliveryMode: "pull",
    subscriptionId: null,
    generation: 1,
    sequence: 0,
    noChange: false,
    failure: null,
    publication: null,
    createdAt: expect.any(String) as string,
    completedAt: expect.any(String) as string,
    expiresAt: expect.any(String) as string,
    progress: { parts: manifest.data.parts.length },
  });
  expect(reply.headers["cache-control"]).toBe("private, no-cache");
});

describe("the manifest", () => {
  test("is what its hash says, byte for byte, and what part 0 is", async () => {
    const reply = await national.get(`${root}/${complete}/manifest`);
    const data = /^\{"data":(.*),"meta":\{.*$/s.exec(reply.text)?.[1] ?? "";
    expect(sha256(data)).toBe(manifest.meta.manifest_sha256);
    expect(reply.headers["etag"]).toBe(`"sha256:${manifest.meta.manifest_sha256}"`);
    expect((await national.fetched(complete, 0)).toString()).toBe(data);
    const known = await national.get(`${root}/${complete}/manifest`, {
      "if-none-match": String(reply.headers["etag"]),
    });
    expect([known.status, known.text]).toEqual([304, ""]);
  });

  test("names the account's datasets, and what must be said of those that were approved", async () => {
    type Account = {
      readonly datasets: readonly { readonly dataset_id: string; readonly originating_system_name: string }[];
    };
    type Profile = { readonly dataset_id: string; readonly compliance: { readonly disclaimer: string } };
    const { datasets } = dataOf<Account>(await national.get("/v1/account/resources"));
    const profiles = dataOf<Profile[]>(await national.get("/v1/mls-profiles"));
    const sources = datasets.map(
      ({ dataset_id: datasetId, originating_system_name: originatingSystemName }) => ({
        datasetId,
        originatingSystemName,
      }),
    );
    expect(manifest.data.datasets.map((dataset) => dataset.sources)).toEqual([sources, sources, sources]);
    expect(manifest.data.attribution).toEqual(
      profiles.map(({ dataset_id: datasetId, compliance }) => ({
        datasetId,
        disclaimerSha256: sha256(compliance.disclaimer),
      })),
    );
    expect(profiles.length).toBe(datasets.length - 1);
    // Of one dataset, the one of the customer alone.
    const { data } = await market.manifest(await market.complete());
    expect(data.datasets[0]?.sources).toEqual(sources.slice(0, 1));
    expect(data.attribution).toEqual(manifest.data.attribution.slice(0, 1));
  });

  test("is signed with a key that is published, without a key being asked", async () => {
    const reply = await ask(running.service.baseUrl, "/.well-known/jwks.json");
    const [jwk] = (JSON.parse(reply.text) as { readonly keys: readonly Record<string, string>[] }).keys;
    expect(Object.keys(jwk ?? {}).toSorted()).toEqual(["crv", "kid", "kty", "x"]);
    const { protected: header, signature } = manifest.meta.signature as Readonly<Record<string, string>>;
    const signed = Buffer.concat([Buffer.from(`${header}.`), await national.fetched(complete, 0)]);
    const key = createPublicKey({ key: jwk ?? {}, format: "jwk" });
    expect(verify(null, signed, key, Buffer.from(signature ?? "", "base64url"))).toBe(true);
  });
});

describe("a grant", () => {
  const partOf = () => manifest.data.parts[0]?.number ?? 0;

  test("has exactly what the interface says, and is not to be kept", async () => {
    const reply = await national.get(`${root}/${complete}/download?part=${partOf()}`);
    expect(dataOf(reply)).toEqual({
      kind: "logical",
      url: redemption,
      bearer_token: expect.stringMatching(/^ldsg_\w+$/) as string,
    });
    expect([reply.status, reply.headers["cache-control"], reply.headers["etag"]]).toEqual([
      200,
      "no-store",
      undefined,
    ]);
  });

  test.each(["", "?part=", "?part=-1", "?part=1.5", "?part=x", "?part=01", "?part=2147483648", "?part=%20"])(
    "is not given for `%s`",
    async (query) => {
      expect(refusal(await national.get(`${root}/${complete}/download${query}`))).toEqual([
        400,
        "invalid_part",
      ]);
    },
  );

  test("is not given for what the manifest does not list", async () => {
    for (const part of [1, 2147483647])
      expect(refusal(await national.get(`${root}/${complete}/download?part=${part}`))).toEqual([
        404,
        "part_not_found",
      ]);
  });

  test("is redeemed as what the manifest says, as often as need be", async () => {
    for (const part of manifest.data.parts) {
      const token = await national.grant(complete, part.number);
      for (let times = 0; times < 2; times++) {
        const reply = await national.redeem(token);
        const bytes = Buffer.from(await reply.arrayBuffer());
        expect(reply.status).toBe(200);
        expect(sha256(bytes)).toBe(part.sha256);
        expect(Object.fromEntries(reply.headers)).toMatchObject({
          "content-type": "application/octet-stream",
          "content-length": String(part.byteLength),
          "repr-digest": `sha-256=:${Buffer.from(part.sha256, "hex").toString("base64")}:`,
          "accept-ranges": "bytes",
          etag: `"${part.sha256}"`,
          "cache-control": "no-store",
        });
        expect(reply.headers.get("content-encoding")).toBeNull();
      }
    }
  });

  test("is redeemed by ranges, which make the whole part", async () => {
    const [part] = manifest.data.parts;
    if (part === undefined) throw new Error("the delivery has no part");
    const token = await national.grant(complete, part.number);
    const { byteLength } = part;
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const reply = await national.redeem(token, headers);
      return { reply, bytes: Buffer.from(await reply.arrayBuffer()) };
    };
    const whole = (await ask({})).bytes;
    const pieces = [0, 1, byteLength >> 1, byteLength].flatMap((end, i, all) => {
      const start = all[i - 1];
      return start === undefined ? [] : [{ start, end }];
    });
    const got: Buffer[] = [];
    for (const { start, end } of pieces) {
      const { reply, bytes } = await ask({
        range: `bytes=${start}-${end - 1}`,
        "if-range": `"${part.sha256}"`,
      });
      expect(reply.status).toBe(206);
      expect(reply.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${byteLength}`);
      expect(reply.headers.get("content-length")).toBe(String(end - start));
      got.push(bytes);
    }
    expect(sha256(Buffer.concat(got))).toBe(part.sha256);
    expect((await ask({ range: "bytes=-10" })).bytes).toEqual(whole.subarray(-10));
    expect((await ask({ range: "bytes=10-" })).bytes).toEqual(whole.subarray(10));
    for (const headers of [
      { range: "bytes=0-1,5-6" },
      { range: "bytes=x" },
      { range: "lines=1-2" },
      { range: "bytes=1-2", "if-range": '"other"' },
      { range: "bytes=1-2", "if-range": `W/"${part.sha256}"` },
    ]) {
      const { reply, bytes } = await ask(headers);
      expect([reply.status, reply.headers.get("content-range"), bytes.length]).toEqual([
        200,
        null,
        byteLength,
      ]);
    }
    const { reply, bytes } = await ask({ range: `bytes=${byteLength}-` });
    expect([reply.status, reply.headers.get("content-range")]).toEqual([416, `bytes */${byteLength}`]);
    expect(JSON.parse(bytes.toString())).toMatchObject({ error: "range_not_satisfiable" });
  });

  test("is for the key that it was given to, and for its bearer", async () => {
    const token = await national.grant(complete, partOf());
    const redeem = (headers: Readonly<Record<string, string>>) =>
      ask(running.service.baseUrl, redemption, headers);
    const bearer = { authorization: `Bearer ${token}` };
    const stolen = await redeem({ ...market.headers, ...bearer });
    expect(refusal(stolen)).toEqual([401, "invalid_token"]);
    expect(stolen.headers["www-authenticate"]).toBe('Bearer realm="cadastre", error="invalid_token"');
    expect(refusal(await redeem(bearer))).toEqual([401, "unauthorized"]);
    expect(refusal(await redeem(national.headers))).toEqual([401, "invalid_token"]);
    const other = token.endsWith("0") ? "1" : "0";
    for (const wrong of [token.slice(0, -1) + other, `${token}0`, "ldsg_", "x"])
      expect(refusal(await redeem({ ...national.headers, authorization: `Bearer ${wrong}` }))).toEqual([
        401,
        "invalid_token",
      ]);
    // Nor another key of the same customer.
    const { stdout } = await cadastre(["key", "create", "demo-national"], {
      environment: { CADASTRE_DATA: running.folder.path },
    });
    const another = /cadastre_\w+/.exec(stdout)?.[0] ?? "";
    expect(another).not.toBe("");
    expect(refusal(await redeem({ "x-api-key": another, ...bearer }))).toEqual([401, "invalid_token"]);
  });

  test("is redeemed at its address alone, as octets", async () => {
    const authorization = `Bearer ${await national.grant(complete, 0)}`;
    const at = (target: string, headers = {}) => national.get(target, { authorization, ...headers });
    for (const query of ["?", "?part=0", "?token=x"])
      expect(refusal(await at(redemption + query))).toEqual([400, "query_not_allowed"]);
    expect(refusal(await at(redemption, { accept: "application/json" }))).toEqual([406, "not_acceptable"]);
    expect(refusal(await at(redemption, { accept: "*/*;q=0" }))).toEqual([406, "not_acceptable"]);
    expect(refusal(await at(`${redemption}/`))).toEqual([404, "not_found"]);
    expect((await at(redemption, { accept: "application/octet-stream" })).status).toBe(200);
  });

  test("leaves no token in the log or the registry", async () => {
    const token = await national.grant(complete, 0);
    await national.redeem(token);
    expect(running.log()).not.toContain(token);
    expect(running.log()).not.toContain("ldsg_");
  });
});

describe("an acknowledgement", () => {
  const said = () => ({
    generation: 1,
    sequence: 0,
    manifest_sha256: manifest.meta.manifest_sha256,
    customer_reference: "load 1",
  });
  const acknowledge = (body: unknown, id = complete, customer = national) =>
    customer.post(`${root}/${id}/acknowledge`, body);

  test("is kept once, and is the same again", async () => {
    const [first, again] = [await acknowledge(said()), await acknowledge(said())];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(dataOf(first)).toEqual({
      delivery_id: complete,
      ...said(),
      acknowledged_at: expect.any(String) as string,
    });
    expect(again.text).toBe(first.text);
  });

  test("of something else conflicts", async () => {
    const other = { ...said(), manifest_sha256: "0".repeat(64) };
    expect(refusal(await acknowledge(other))).toEqual([409, "manifest_conflict"]);
    expect(refusal(await acknowledge({ ...said(), sequence: 1 }))).toEqual([409, "sequence_conflict"]);
    expect(refusal(await acknowledge({ ...said(), manifest_sha256: "x" }))).toEqual([400, "invalid_request"]);
    expect(refusal(await acknowledge({ ...said(), more: 1 }))).toEqual([400, "invalid_request"]);
    const long = { ...said(), customer_reference: "r".repeat(257) };
    expect(refusal(await acknowledge(long))).toEqual([400, "invalid_request"]);
    expect(refusal(await acknowledge(said(), complete, market))).toEqual([404, "not_found"]);
  });
});

describe("what is not the customer's", () => {
  const targets = ["", "/manifest", "/download?part=0"];

  test.each(targets)("is as absent as what there is not: %s", async (target) => {
    const foreign = await market.get(`${root}/${complete}${target}`);
    const absent = await market.get(`${root}/${nowhere}${target}`);
    expect(refusal(foreign)).toEqual([404, "not_found"]);
    expect(foreign.text).toBe(absent.text);
    for (const id of ["x", "%00", "..", complete.toUpperCase()])
      expect(refusal(await national.get(`${root}/${id}${target}`))).toEqual([404, "not_found"]);
  });

  test("is nothing without a key", async () => {
    for (const target of [root, `${root}/${complete}`, redemption])
      expect(refusal(await ask(running.service.baseUrl, target))).toEqual([401, "unauthorized"]);
  });
});

test("other methods are refused, and told which ones are not", async () => {
  const asked = async (method: string, target: string) => {
    const reply = await ask(running.service.baseUrl, target, national.headers, method);
    return [...refusal(reply), reply.headers["allow"]];
  };
  const refused = [405, "method_not_allowed"];
  expect(await asked("DELETE", root)).toEqual([...refused, "POST, GET, HEAD"]);
  expect(await asked("POST", `${root}/${complete}`)).toEqual([...refused, "GET, HEAD, DELETE"]);
  expect(await asked("PUT", `${root}/${complete}/manifest`)).toEqual([...refused, "GET, HEAD"]);
  expect(await asked("POST", `${root}/${complete}/download`)).toEqual([...refused, "GET"]);
  expect(await asked("GET", `${root}/${complete}/acknowledge`)).toEqual([...refused, "POST"]);
  expect(await asked("POST", redemption)).toEqual([...refused, "GET"]);
});

test("what has expired is gone, and then purged; that it was loaded may still be said", async () => {
  const id = await national.complete({ domain: "public_record" });
  const token = await national.grant(id, 0);
  const { data, meta } = await national.manifest(id);
  await registrySql("update cadastre_delivery set expires = ? where id = ?", Date.now() - 1, id);
  const status = async () => dataOf<{ status: string }>(await national.get(`${root}/${id}`)).status;
  const requireGone = async () => {
    for (const target of ["/manifest", "/download?part=0"])
      expect(refusal(await national.get(`${root}/${id}${target}`))).toEqual([410, "delivery_expired"]);
    const redeemed = await national.get(redemption, { authorization: `Bearer ${token}` });
    expect(refusal(redeemed)).toEqual([410, "delivery_expired"]);
  };
  expect(await status()).toBe("expired");
  await requireGone();
  const { sha256: hash = "" } = data.parts[0] ?? {};
  const file = join(running.folder.exports, "parts", hash.slice(0, 2), hash);
  expect(existsSync(file)).toBe(true);
  vi.advanceTimersByTime(10 * 60_000);
  await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(false);
  expect(await status()).toBe("purged");
  await requireGone();
  const said = {
    generation: 1,
    sequence: 0,
    manifest_sha256: meta.manifest_sha256,
    customer_reference: "late",
  };
  expect((await national.post(`${root}/${id}/acknowledge`, said)).status).toBe(201);
});
