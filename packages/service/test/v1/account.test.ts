import { recordNames } from "@cadastre/reso";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoCustomers } from "../../src/demo/customers.ts";
import { ask, type Headers, type Reply } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
import { entitle } from "../support/entitle.ts";
import { errorBody } from "../support/error-body.ts";
import { type Running, run } from "../support/running.ts";

const [account, profiles] = ["/v1/account/resources", "/v1/mls-profiles"] as const;

type Dataset = {
  readonly dataset_id: string;
  readonly originating_system_name: string;
  readonly display_name: string;
  readonly resources: readonly { readonly name: string; readonly key: string; readonly collection: string }[];
  readonly links: Readonly<Record<string, string>>;
};
type Account = {
  readonly data: { readonly datasets: readonly Dataset[] };
  readonly meta: Readonly<Record<string, unknown>>;
};
type Profiles = {
  readonly data: readonly (Omit<Dataset, "links"> & {
    readonly compliance: Readonly<Record<string, unknown>>;
  })[];
  readonly meta: Readonly<Record<string, unknown>>;
};

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "100" });
});
afterAll(() => running.stop());

const get = (target: string, customer = "national", headers: Headers = {}) =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key(customer), ...headers });
const read = async <Body>(target: string, customer?: string): Promise<Body> => {
  const reply = await get(target, customer);
  expect([target, reply.status]).toEqual([target, 200]);
  return JSON.parse(reply.text) as Body;
};
const refusal = ({ status, text }: Reply) => [status, JSON.parse(text) as unknown];

describe("account resources", () => {
  test.each(demoCustomers)("of $name are what the entitlement grants", async ({ name, grants }) => {
    const { data, meta } = await read<Account>(account, name);
    const { products, regions, channels } = grants;
    expect(data).toEqual({
      customer_id: `demo-${name}`,
      entitlement_version: 1,
      entitlement_state: "active",
      products,
      regions,
      datasets: expect.any(Array) as Dataset[],
      channels,
      limits: {
        requests_per_second: 0,
        concurrent_queries: 100,
        scan_seconds: 3600,
        query_weight: 1,
        open_exports: 4,
      },
    });
    expect(data.datasets.map(({ dataset_id }) => dataset_id)).toEqual(
      grants.datasets.map(({ dataset_id }) => dataset_id),
    );
    expect(meta).toEqual({ entitlement_version: 1 });
  });

  test("name what is licensed, active or not, under an id that does not follow the name", async () => {
    const { datasets } = (await read<Account>(account)).data;
    const [dataset] = datasets;
    expect(dataset).toEqual({
      dataset_id: sampleSystems[0].datasetId,
      originating_system_name: "Lone Star MLS",
      display_name: "Lone Star MLS",
      resources: expect.arrayContaining([
        { name: "Property", key: "ListingKey", collection: "/reso/odata/Property" },
        // Of the demo's sets the one that is not active.
        { name: "OpenHouse", key: "OpenHouseKey", collection: "/reso/odata/OpenHouse" },
        // These are in exports alone.
        { name: "MediaAsset", key: "MediaAssetId", collection: "/v1/file-exports" },
        { name: "PublicRecord", key: "PublicRecordKey", collection: "/v1/file-exports" },
      ]) as Dataset["resources"],
      links: { metadata: "/reso/odata/$metadata", service: "/reso/odata", mls_profile: profiles },
    });
    expect(dataset?.resources.map(({ name }) => name).toSorted()).toEqual([...recordNames].toSorted());
    expect((await get("/reso/odata/OpenHouse")).status).toBe(404);
  });

  test("link to what is there", async () => {
    for (const { links } of (await read<Account>(account)).data.datasets)
      for (const link of Object.values(links)) expect([link, (await get(link)).status]).toEqual([link, 200]);
  });
});

describe("MLS profiles", () => {
  test("are those of the approved datasets of the entitlement", async () => {
    const { data, meta } = await read<Profiles>(profiles);
    expect(meta).toEqual({ entitlement_version: 1, count: 4 });
    expect(data.map(({ originating_system_name }) => originating_system_name)).not.toContain(
      "Gulf Sunshine MLS",
    );
    const { datasets } = (await read<Account>(account)).data;
    for (const profile of data) {
      const dataset = datasets.find(({ dataset_id }) => dataset_id === profile.dataset_id);
      expect(profile).toEqual({
        dataset_id: dataset?.dataset_id,
        originating_system_name: dataset?.originating_system_name,
        resources: dataset?.resources,
        originating_system_full_name: expect.any(String) as string,
        compliance: {
          disclaimer: expect.any(String) as string,
          logo_url: expect.stringMatching(/^https:/) as string,
          rules_url: expect.stringMatching(/^https:/) as string,
          required_update_frequency_hours: expect.any(Number) as number,
        },
      });
    }
    const own = await read<Profiles>(profiles, "market");
    expect(own.data.map(({ originating_system_name }) => originating_system_name)).toEqual(["Lone Star MLS"]);
  });
});

describe("every endpoint", () => {
  test.each([account, profiles, "/v1/field-completeness"])(
    "%s: a client that knows the answer is told so, by GET and HEAD",
    async (path) => {
      const first = await get(path);
      const etag = String(first.headers["etag"]);
      expect(first.headers).toMatchObject({
        "content-type": "application/json",
        "cache-control": "private, no-cache",
        vary: "x-api-key, authorization, accept-encoding",
      });
      const again = await get(path, "national", { "if-none-match": etag });
      expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", etag]);
      const key = { "x-api-key": running.key("national") };
      const head = await ask(running.service.baseUrl, path, key, "HEAD");
      expect([head.status, head.text, head.headers["etag"]]).toEqual([200, "", etag]);
      expect((await get(path, "market", { "if-none-match": etag })).status).toBe(200);
    },
  );

  test.each([
    [`${account}?limit=1`, "GET", 400, "unknown_parameter"],
    [`${account}?limit=1&limit=1`, "GET", 400, "unknown_parameter"],
    [`${profiles}?dataset=1`, "GET", 400, "unknown_parameter"],
    [`${profiles}?%zz`, "GET", 400, "invalid_encoding"],
    ["/v1/properties/x?$select=City", "GET", 400, "unknown_parameter"],
    [account, "POST", 405, "method_not_allowed"],
    [profiles, "DELETE", 405, "method_not_allowed"],
    ["/v1/properties/x", "PUT", 405, "method_not_allowed"],
    ["/v1/field-completeness", "POST", 405, "method_not_allowed"],
    ["/v1/field-completeness/", "GET", 404, "not_found"],
    ["/v1/field-completeness?Geography=state:TX", "GET", 400, "unknown_parameter"],
    [`${account}/`, "GET", 404, "not_found"],
    ["/v1", "GET", 404, "not_found"],
    ["/v1/properties", "GET", 404, "not_found"],
    ["/v1/Account/resources", "GET", 404, "not_found"],
  ])("%s with %s is %i %s", async (target, method, status, error) => {
    const key = { "x-api-key": running.key("national") };
    const reply = await ask(running.service.baseUrl, target, key, method);
    expect(refusal(reply)).toEqual([status, errorBody(error)]);
    if (status === 405) expect(reply.headers["allow"]).toBe("GET, HEAD");
    expect(refusal(await ask(running.service.baseUrl, target, {}, method))).toEqual([
      401,
      errorBody("unauthorized"),
    ]);
  });

  test("a query without parameters is none", async () => {
    expect((await get(`${account}?`)).status).toBe(200);
  });
});

test("without a channel an account is told what it has, and nothing else", async () => {
  await entitle(running, "coarse", (before) => ({
    ...before,
    channels: { api: false, odata: false, file_delivery: false },
  }));
  // The running service knows of it within two seconds.
  await expect
    .poll(async () => (await get(profiles, "coarse")).status, { timeout: 10_000, interval: 200 })
    .toBe(403);
  const { data } = await read<Account & { data: { channels: object } }>(account, "coarse");
  expect(data.channels).toEqual({ api: false, odata: false, file_delivery: false });
  for (const path of [profiles, "/v1/field-completeness", "/v1/properties/5jc-3np@8sy-s97-swk"])
    expect(refusal(await get(path, "coarse"))).toEqual([403, errorBody("channel_not_entitled")]);
});

describe("`cadastre profile`", () => {
  const profile = (...args: readonly string[]) =>
    cadastre(["profile", ...args], { environment: { CADASTRE_DATA: running.folder.path } });
  /** As soon as the running service knows it. */
  const seen = async (path: string, isSeen: (text: string) => boolean) => {
    await expect
      .poll(async () => isSeen((await get(path)).text), { timeout: 10_000, interval: 200 })
      .toBe(true);
  };

  test("approves a dataset once its profile is whole, and takes that back", async () => {
    const part = await profile("set", "gulfsun", "--full-name", "Gulf Sunshine", "--update-hours", "3");
    expect([part.code, part.stderr]).toEqual([
      1,
      "the profile of gulfsun lacks --display-name, --disclaimer, --logo-url, --rules-url",
    ]);
    const [logo, rules] = ["https://gulf.example/l.svg", "https://gulf.example/r"];
    const rest = [
      "--display-name",
      "Gulf",
      "--disclaimer",
      "As is.",
      "--logo-url",
      logo,
      "--rules-url",
      rules,
    ];
    const whole = ["--full-name", "Gulf Sunshine", "--update-hours", "3", ...rest];
    expect((await profile("set", "gulfsun", ...whole)).code).toBe(0);
    await seen(profiles, (text) => text.includes('"required_update_frequency_hours":3'));
    await seen(account, (text) => text.includes('"display_name":"Gulf"'));
    expect((await profile("set", "gulfsun", "--draft")).code).toBe(0);
    await seen(profiles, (text) => !text.includes("Gulf Sunshine"));
    await seen(account, (text) => !text.includes('"display_name":"Gulf"'));
    expect(JSON.parse((await profile("show", "gulfsun")).stdout)).toMatchObject({
      displayName: "Gulf",
      updateHours: 3,
      approved: null,
    });
    expect((await profile("list")).stdout).toMatch(/^gulfsun +Gulf +3 h +draft$/m);
  }, 60_000);

  test.each([
    [["set", "gulfsun", "--update-hours", "0"], 2],
    [["set", "gulfsun", "--logo-url", "http://x.example"], 2],
    [["set", "nowhere"], 1],
    [["set", "gulfsun", "--disclaimer", " "], 2],
  ])("%j is refused", async (args, code) => {
    expect((await profile(...args)).code).toBe(code);
  });
});
