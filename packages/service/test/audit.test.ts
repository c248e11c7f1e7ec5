import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { signEntitlement } from "@cadastre/entitlement";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audience, issuer, readIssuer } from "../src/access/demo-issuer.ts";
import { createApiKey } from "../src/access/key-text.ts";
import { auditActions } from "../src/audit/actions.ts";
import { createAuditFile } from "../src/audit/audit-file.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { cadastre } from "./support/cli.ts";
import { customerOf, dataOf, refusal } from "./support/deliveries.ts";
import { type Running, run } from "./support/running.ts";
import { onFiles } from "./support/test-database.ts";

type Line = {
  readonly time: string;
  readonly action: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly actor: Readonly<Record<string, string>>;
  readonly object: Readonly<Record<string, string | number | boolean>>;
  readonly requestId: string | null;
  readonly address: string | null;
};

let running: Running;
let at: Awaited<ReturnType<typeof customerOf>>;
/** Every secret that the tests have seen. */
const secrets: string[] = [];

beforeAll(async () => {
  running = await run({
    CADASTRE_LISTINGS: "100",
    CADASTRE_TRUST_PROXY: "loopback",
    CADASTRE_PUSH: "true",
    CADASTRE_PUSH_ENDPOINT: "http://127.0.0.1:9",
    CADASTRE_WEBHOOK_LOOPBACK: "true",
  });
  at = customerOf(running);
});
afterAll(() => running.stop());

const text = () => readFile(running.folder.audit, "utf8");
const lines = async (): Promise<readonly Line[]> =>
  (await text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
const last = async () => (await lines()).at(-1);
const operator = (...args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: running.folder.path } });

const destinations = "/v1/file-export-destinations";
const webhooks = "/v1/webhooks";
const subscriptions = "/v1/file-export-subscriptions";

let requests = 0;
/** Sends a request, and returns its answer with the line that it has left in the trail. */
async function act(
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
) {
  requests += 1;
  const id = `request-${requests}`;
  const reply = await fetch(running.service.baseUrl + path, {
    method,
    headers: {
      ...at.headers,
      "x-request-id": id,
      "x-forwarded-for": "192.0.2.7",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = { status: reply.status, headers: {}, text: await reply.text() };
  const found = (await lines()).filter(({ requestId }) => requestId === id);
  return { answer, found };
}

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const byCustomer = (object: object, outcome = "done", code: string | null = null) => [
  {
    time: matching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    outcome,
    code,
    actor: {
      type: "customer",
      customer: matching(/national/),
      keyId: matching(/^[0-9A-Z]{26}$/),
    },
    object,
    requestId: matching(/^request-/),
    address: "192.0.2.7",
  },
];
const named = (action: string, expected: readonly object[]) => expected.map((line) => ({ action, ...line }));

const byCommand = (action: string, object: object, outcome = "done", code: unknown = null) => ({
  time: matching(/Z$/),
  action,
  outcome,
  code,
  actor: { type: "cli", user: userInfo().username },
  object,
  requestId: null,
  address: null,
});

const asked = () => ({ domain: "listing", deliveryMode: "pull", idempotencyKey: `key-${Math.random()}` });

describe("over HTTP", () => {
  test("exports: create, replay, cancel, grant, redeem, acknowledge", async () => {
    const request = asked();
    const { answer, found } = await act("POST", "/v1/file-exports", request);
    const { id } = dataOf<{ id: string }>(answer);
    expect(found).toEqual(named("export.create", byCustomer({ id })));
    const again = await act("POST", "/v1/file-exports", request);
    expect(again.found).toEqual(named("export.create", byCustomer({ id, replayed: true })));
    expect(await at.finished(id)).toBe("complete");
    const canceled = await act("DELETE", `/v1/file-exports/${id}`);
    expect(canceled.found).toEqual(
      named("export.cancel", byCustomer({ id }, "refused", "delivery_not_open")),
    );
    const { data, meta } = await at.manifest(id);
    const part = data.parts[0]?.number;
    const granted = await act("GET", `/v1/file-exports/${id}/download?part=${part}`);
    expect(granted.found).toEqual(named("export.grant", byCustomer({ id, part })));
    const token = dataOf<{ bearer_token: string }>(granted.answer).bearer_token;
    secrets.push(token);
    const authorization = `Bearer ${token}`;
    const redeemed = await act("GET", "/v1/file-downloads/redeem", undefined, { authorization });
    expect(redeemed.answer.status).toBe(200);
    expect(redeemed.found).toEqual(named("export.redeem", byCustomer({ id, part })));
    const wrong = await act("GET", "/v1/file-downloads/redeem", undefined, {
      authorization: `Bearer ${createApiKey()}`,
    });
    expect(wrong.found).toEqual(named("export.redeem", byCustomer({}, "refused", "invalid_token")));
    const acknowledged = await act("POST", `/v1/file-exports/${id}/acknowledge`, {
      generation: 1,
      sequence: 1,
      manifest_sha256: meta.manifest_sha256,
      customer_reference: "reference",
    });
    expect(acknowledged.found[0]).toMatchObject({ action: "export.acknowledge", object: { id } });
  });

  test("destinations and webhooks: their secrets stay out of the trail", async () => {
    const reserved = await act("POST", destinations, {
      bucket: "bucket-of-customer",
      region: "us-east-1",
      prefix: "deliveries",
      roleArn: "arn:aws:iam::123456789012:role/cadastre/file-delivery/name",
      kmsKeyArn: "arn:aws:kms:us-east-1:123456789012:key/00000000-0000-4000-8000-000000000000",
    });
    const destination = dataOf<{ id: string; externalId: string }>(reserved.answer);
    const registered = await act("POST", webhooks, { url: "http://127.0.0.1:9/hook" });
    const webhook = dataOf<{ id: string; secret: string }>(registered.answer);
    secrets.push(destination.externalId, webhook.secret);
    expect([reserved.found, registered.found]).toEqual([
      named("destination.reserve", byCustomer({ id: destination.id })),
      named("webhook.register", byCustomer({ id: webhook.id })),
    ]);
    for (const [method, root, { id }, path, action] of [
      ["POST", destinations, destination, "/rotate", "destination.rotate"],
      ["POST", destinations, destination, "/verify", "destination.verify"],
      ["DELETE", destinations, destination, "", "destination.disable"],
      ["POST", webhooks, webhook, "/rotate", "webhook.rotate"],
      ["POST", webhooks, webhook, "/test", "webhook.test"],
      ["DELETE", webhooks, webhook, "", "webhook.delete"],
    ] as const) {
      const { answer, found } = await act(method, `${root}/${id}${path}`);
      expect([answer.text, found]).toEqual([expect.any(String), named(action, byCustomer({ id }))]);
      secrets.push(...(/(?:whsec_|"externalId":")[^"]+/.exec(answer.text) ?? []));
    }
  });

  test("subscriptions, here of an id that does not exist", async () => {
    const id = "00000000-0000-7000-8000-000000000000";
    const created = await act("POST", subscriptions, {});
    expect(created.found).toEqual(named("subscription.create", byCustomer({}, "refused", "invalid_request")));
    for (const [method, path, action] of [
      ["POST", "/pause", "subscription.pause"],
      ["POST", "/resume", "subscription.resume"],
      ["POST", "/reset", "subscription.reset"],
      ["DELETE", "", "subscription.cancel"],
    ] as const) {
      const { found } = await act(method, `${subscriptions}/${id}${path}`);
      expect(found).toEqual(named(action, byCustomer({ id }, "refused", "not_found")));
    }
  });

  test("what only reads leaves no line, and a text in a path that is no id is not recorded", async () => {
    expect((await act("GET", "/v1/file-exports")).found).toEqual([]);
    const secret = createApiKey();
    secrets.push(secret);
    const { answer, found } = await act("DELETE", `/v1/file-exports/${secret}`);
    expect(answer.status).toBe(404);
    expect(found).toEqual(named("export.cancel", byCustomer({}, "refused", "not_found")));
  });
});

describe("by commands", () => {
  test("keys: issue, rotate, revoke, a new pepper", async () => {
    const customer = "demo-audited";
    const refused = await operator("key", "create", customer);
    expect(refused.code).toBe(1);
    expect(await last()).toEqual(byCommand("key.issue", { customer }, "refused", expect.any(String)));
    await entitle(customer);
    const created = JSON.parse((await operator("key", "create", customer, "--json")).stdout) as Issued;
    expect(await last()).toEqual(byCommand("key.issue", { customer, id: created.id }));
    const rotated = JSON.parse((await operator("key", "rotate", created.id, "--json")).stdout) as Issued;
    expect(await last()).toEqual(byCommand("key.rotate", { key: created.id, id: rotated.id, customer }));
    await operator("key", "revoke", created.id, "--yes");
    expect(await last()).toEqual(byCommand("key.revoke", { id: created.id, customer }));
    secrets.push(created.apiKey, rotated.apiKey);
    await operator("key", "revoke", created.apiKey, "--yes");
    expect(await last()).toMatchObject({ action: "key.revoke", outcome: "refused", object: {} });
    await operator("key", "create", created.apiKey);
    expect(await last()).toMatchObject({ action: "key.issue", outcome: "refused", object: {} });
    await operator("key", "rotate-pepper");
    expect(await last()).toEqual(byCommand("key.rotate_pepper", { version: 2 }));
  });

  test("an issuer's key pair and entitlements are recorded beside the private key", async () => {
    const place = join(running.folder.path, "issuer");
    await mkdir(place);
    const key = join(place, "key.json");
    const made = await operator("entitlement", "keygen", "--out", key, "--json");
    const { kid } = JSON.parse(made.stdout) as { kid: string };
    const document = join(place, "document.json");
    await writeFile(document, JSON.stringify(documentOf("acme")));
    const signed = await operator("entitlement", "sign", document, "--key", key, "--json");
    const { jws, jti } = JSON.parse(signed.stdout) as { jws: string; jti: string };
    secrets.push(jws, (JSON.parse(await readFile(key, "utf8")) as KeyFile).privateKey.d);
    const trail = await readFile(join(place, "audit.jsonl"), "utf8");
    expect(
      trail
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Line),
    ).toEqual([
      byCommand("issuer_key.create", { id: kid }),
      byCommand("entitlement.sign", { id: jti, customer: "acme", version: 1, key: kid }),
    ]);
    for (const secret of secrets) expect(trail).not.toContain(secret);
  });

  test.runIf(onFiles)("a backup of database files, which has no copy of the trail", async () => {
    const target = `${running.folder.path}-backup`;
    expect((await operator("backup", target)).code).toBe(0);
    expect(await last()).toEqual(byCommand("backup.create", {}));
    await expect(stat(join(target, "audit.jsonl"))).rejects.toThrow("ENOENT");
    await rm(target, { recursive: true });
  });
});

type Issued = { readonly id: string; readonly apiKey: string };
type KeyFile = { readonly privateKey: { readonly d: string } };

const documentOf = (sub: string) => {
  const now = Math.floor(Date.now() / 1000);
  const { grants } = demoCustomers[0] as (typeof demoCustomers)[number];
  return { iss: issuer, aud: audience, sub, ver: 1, iat: now, nbf: now, exp: now + 600, ...grants };
};

/** Installs an entitlement by the command, and expects its line. */
async function entitle(customer: string): Promise<void> {
  const document = { ...documentOf(customer), jti: "00000000-0000-4000-8000-000000000001" };
  const jws = await signEntitlement(document, await readIssuer(running.folder));
  secrets.push(jws);
  const install = () =>
    cadastre(["entitlement", "install", "-"], {
      input: jws,
      environment: { CADASTRE_DATA: running.folder.path },
    });
  expect((await install()).code).toBe(0);
  const object = { id: document.jti, customer, version: 1 };
  expect(await last()).toEqual(byCommand("entitlement.install", object));
  await install();
  expect(await last()).toEqual(byCommand("entitlement.install", { ...object, replayed: true }));
}

describe("the trail", () => {
  test("holds no secret, and only actions of the table, which the README lists", async () => {
    const trail = await text();
    expect(secrets.length).toBeGreaterThan(8);
    for (const secret of secrets) expect(trail).not.toContain(secret);
    expect(trail).not.toMatch(/cadastre_|whsec_|eyJ|Bearer/);
    for (const { action } of await lines()) expect(Object.keys(auditActions)).toContain(action);
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    for (const [action, means] of Object.entries(auditActions))
      expect(readme).toContain(`| \`${action}\` | ${means} |`);
  });

  test("is readable by its owner alone, and may be renamed while the service runs", async () => {
    const { audit } = running.folder;
    expect((await stat(audit)).mode & 0o777).toBe(0o600);
    await rename(audit, `${audit}.1`);
    expect((await act("POST", "/v1/file-exports", asked())).found).toHaveLength(1);
  });

  test("refuses an action that it cannot record, and goes on once it can", async () => {
    const { audit } = running.folder;
    const count = async () => dataOf<unknown[]>(await at.get("/v1/webhooks")).length;
    const before = await count();
    await rename(audit, `${audit}.2`);
    await mkdir(audit);
    const refused = await at.post("/v1/webhooks", { url: "http://127.0.0.1:9/hook" });
    expect(refusal(refused)).toEqual([503, "service_unavailable"]);
    expect(await count()).toBe(before);
    expect(running.log()).toContain("nothing is done without an audit trail");
    const command = await operator("key", "create", "demo-audited");
    expect([command.code, command.stdout]).toEqual([1, ""]);
    expect(command.stderr).toContain("audit.jsonl cannot be written");
    // Reading needs no trail.
    expect((await at.get("/reso/odata/Property?$top=1")).status).toBe(200);
    await rm(audit, { recursive: true });
    const { answer, found } = await act("POST", webhooks, { url: "http://127.0.0.1:9/hook" });
    expect([answer.status, found.length]).toEqual([201, 1]);
  });

  test("keeps lines that could not be written, in order, and ends a torn line", async () => {
    const file = join(running.folder.path, "torn.jsonl");
    await writeFile(file, '{"torn":');
    const { append } = createAuditFile(file);
    await Promise.all([append("1\n"), append("2\n"), append("3\n")]);
    expect(await readFile(file, "utf8")).toBe('{"torn":\n1\n2\n3\n');
    await rm(file);
    await mkdir(file);
    await expect(append("4\n")).rejects.toThrow("it is a folder (EISDIR)");
    await expect(append("")).rejects.toThrow("cannot be written");
    await rm(file, { recursive: true });
    await append("5\n");
    expect(await readFile(file, "utf8")).toBe("4\n5\n");
  });

  test("goes to standard error of commands where it goes to standard output", async () => {
    const { code, stderr } = await cadastre(["key", "rotate-pepper"], {
      environment: { CADASTRE_DATA: running.folder.path, CADASTRE_AUDIT: "stdout" },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stderr.split("\n")[0] ?? "")).toMatchObject({ action: "key.rotate_pepper" });
  });
});
