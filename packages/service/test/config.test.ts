import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { readConfig, withSettingPlaces } from "../src/config.ts";
import { SecretText } from "../src/data/given-document.ts";
import type { Setting } from "../src/settings/setting.ts";
import { settings } from "../src/settings/settings.ts";

test("without variables everything has its default", () => {
  expect(readConfig({ PORT: "", HOME: "/x" })).toEqual({
    port: 8080,
    host: "127.0.0.1",
    adminPort: undefined,
    adminHost: "127.0.0.1",
    dataFolder: ".data",
    listings: 20_000,
    trust: undefined,
    secretSources: { masterKeys: undefined, given: {} },
    tracing: undefined,
    baseUrl: undefined,
    trustProxy: undefined,
    corsOrigins: undefined,
    pageSize: 100,
    minimumCellSize: 10,
    topIsTotal: false,
    extensions: ["delta", "expand"],
    certification: false,
    batchRequests: 100,
    requestsPerSecond: 100,
    refusalsPerSecond: 10,
    compression: true,
    explorer: true,
    mcp: false,
    demoSignIn: true,
    maxShrink: 20,
    tokenLife: 86_400,
    deltaLife: 604_800,
    querySeconds: 10,
    idleSeconds: 30,
    readers: 2,
    processes: 1,
    concurrentQueries: 100,
    scanSeconds: 30,
    checkHours: 24,
    partsRegion: "us-east-1",
    grants: "logical",
    retentionDays: 14,
    push: false,
    webhookLoopback: false,
    worker: true,
    runsFeeds: true,
    feedRuns: 4,
    leaseSeconds: 30,
    odataVersion: "4.0",
    serverTiming: false,
    drainWaitSeconds: 0,
    drainSeconds: 10,
    audit: "file",
    logLevel: "info",
  });
});

test("certification has defaults of its own, and what is set stands", () => {
  const { odataVersion, topIsTotal, pageSize, extensions } = readConfig({ CADASTRE_CERTIFICATION: "true" });
  expect({ odataVersion, topIsTotal, pageSize }).toEqual({
    odataVersion: "4.01",
    topIsTotal: true,
    pageSize: 1000,
  });
  expect(extensions).toEqual(expect.arrayContaining(["expand", "field"]));
  const own = { CADASTRE_CERTIFICATION: "true", CADASTRE_PAGE_SIZE: "50", CADASTRE_EXTENSIONS: "none" };
  expect(readConfig(own)).toMatchObject({ pageSize: 50, extensions: [], topIsTotal: true });
});

test("standbys are read from beside their primary alone, and an error does not tell a password", () => {
  const primary = { CADASTRE_DATABASE_URL: "postgres://me:dont-tell@one:5432/data" };
  const standbys = "postgres://me:dont-tell@two:5432/data, postgres://me@three/data";
  expect(readConfig({ ...primary, CADASTRE_READ_URLS: standbys }).postgres).toMatchObject({
    url: primary.CADASTRE_DATABASE_URL,
    readUrls: ["postgres://me:dont-tell@two:5432/data", "postgres://me@three/data"],
  });
  expect(() => readConfig({ CADASTRE_READ_URLS: standbys })).toThrow(
    "CADASTRE_READ_URLS may be set only with CADASTRE_DATABASE_URL",
  );
  const wrong = () => readConfig({ ...primary, CADASTRE_READ_URLS: `${standbys},http://me:dont-tell@four/` });
  expect(wrong).toThrow(/^CADASTRE_READ_URLS must be .*\/\/…@four/);
  expect(wrong).not.toThrow("dont-tell");
});

test("each process has at least 256 MB", () => {
  const settings = { CADASTRE_PROCESSES: "4", CADASTRE_MEMORY: "1023" };
  expect(() => readConfig(settings)).toThrow(
    "CADASTRE_MEMORY must be at least 1024 with CADASTRE_PROCESSES of 4: 256 for each, not `1023`",
  );
  expect(readConfig({ ...settings, CADASTRE_MEMORY: "1024" }).processes).toBe(4);
  expect(readConfig({ CADASTRE_PROCESSES: "64" }).processes).toBe(64);
});

test("webhooks do not go to this machine in production", () => {
  const development = { CADASTRE_WEBHOOK_LOOPBACK: "true", NODE_ENV: "development" };
  expect(readConfig(development).webhookLoopback).toBe(true);
  expect(() => readConfig({ ...development, NODE_ENV: "production" })).toThrow(
    "CADASTRE_WEBHOOK_LOOPBACK must be false with NODE_ENV=production",
  );
  expect(readConfig({ NODE_ENV: "production" }).webhookLoopback).toBe(false);
});

test.each([
  ["PORT", "65536", "PORT must be a whole number from 0 to 65535 (0: any free port), not `65536`"],
  ["PORT", "http", "PORT must be a whole number from 0 to 65535 (0: any free port), not `http`"],
  ["HOST", "a b", "HOST must be a host name or an IP address, not `a b`"],
  [
    "CADASTRE_LISTINGS",
    "1e3",
    "CADASTRE_LISTINGS must be a whole number from 0 to 10000000 (0: start without listings), not `1e3`",
  ],
  [
    "CADASTRE_LISTINGS",
    "-1",
    "CADASTRE_LISTINGS must be a whole number from 0 to 10000000 (0: start without listings), not `-1`",
  ],
  [
    "CADASTRE_BASE_URL",
    "ftp://x",
    "CADASTRE_BASE_URL must be an http or https address without a query, not `ftp://x`",
  ],
  ...["100", "-1", "1.5", "proxy.example", "10.0.0.0/33", "::1/129", "loopback,", "10.0.0.1/8/8"].map(
    (text): [string, string, string] => [
      "CADASTRE_TRUST_PROXY",
      text,
      `CADASTRE_TRUST_PROXY must be a number of proxies, or addresses and networks such as \`loopback,10.0.0.0/8\`, not \`${text}\``,
    ],
  ),
  ["CADASTRE_PAGE_SIZE", "1001", "CADASTRE_PAGE_SIZE must be a whole number from 1 to 1000, not `1001`"],
  [
    "CADASTRE_CORS_ORIGINS",
    "https://a.example/",
    "CADASTRE_CORS_ORIGINS must be `*`, or origins such as `https://app.example` with commas between, not `https://a.example/`",
  ],
  ["CADASTRE_ODATA_VERSION", "4.1", "CADASTRE_ODATA_VERSION must be 4.0 or 4.01, not `4.1`"],
  [
    "CADASTRE_PARTS_BUCKET",
    "https://bucket",
    "CADASTRE_PARTS_BUCKET must be `s3://<bucket>`, or `s3://<bucket>/<prefix>`, not `https://bucket`",
  ],
  ["CADASTRE_SERVER_TIMING", "yes", "CADASTRE_SERVER_TIMING must be true or false, not `yes`"],
  ["CADASTRE_LOG_LEVEL", "loud", "CADASTRE_LOG_LEVEL must be debug, info, warn, error or silent, not `loud`"],
])("%s=%s is refused in a sentence", (name, value, sentence) => {
  expect(() => readConfig({ [name]: value })).toThrow(sentence);
});

test.each<[string, number | readonly string[]]>([
  ["0", 0],
  ["2", 2],
  ["loopback, 10.0.0.0/8,::1,fd00::/8", ["loopback", "10.0.0.0/8", "::1", "fd00::/8"]],
])("CADASTRE_TRUST_PROXY=%s trusts %o", (text, trusted) => {
  expect(readConfig({ CADASTRE_TRUST_PROXY: text }).trustProxy).toEqual(trusted);
});

test("whom to trust is told whole or not at all", () => {
  const keySet = { CADASTRE_KEY_SET: "keys.json" };
  const names = { CADASTRE_ISSUER: "https://issuer.example", CADASTRE_AUDIENCE: "cadastre" };
  expect(readConfig({ ...keySet, ...names }).trust).toEqual({
    keySet: "keys.json",
    issuer: "https://issuer.example",
    audience: "cadastre",
  });
  expect(() => readConfig(keySet)).toThrow(
    "must be set together: without CADASTRE_ISSUER and CADASTRE_AUDIENCE the others",
  );
  expect(() => readConfig(names)).toThrow("must be set together: without CADASTRE_KEY_SET the others");
});

const masterKey = Buffer.alloc(32, 7);

test("a master key has 32 bytes, and no message or copy of the configuration shows a secret", () => {
  const path = join(mkdtempSync(join(tmpdir(), "cadastre-config-")), "key");
  const earlier = Buffer.alloc(32, 8);
  writeFileSync(path, `${masterKey.toString("hex")}\n${earlier.toString("base64url")}\n`);
  const signing = `{"keys":["dont-tell"]}`;
  const config = readConfig({
    CADASTRE_MASTER_KEY_FILE: path,
    CADASTRE_SECRETS: "/run/secrets/x",
    CADASTRE_SIGNING_KEYS: signing,
  });
  const { masterKeys, given } = config.secretSources;
  expect(masterKeys?.map(({ key }) => key.export())).toEqual([masterKey, earlier]);
  const one = readConfig({ CADASTRE_MASTER_KEY: masterKey.toString("base64") }).secretSources.masterKeys;
  expect(one?.[0].id).toBe(masterKeys?.[0].id);
  expect(given.secrets).toEqual({ file: "/run/secrets/x" });
  expect(given.signingKeys).toBeInstanceOf(SecretText);
  const shown = JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true });
  for (const secret of [
    "dont-tell",
    ...(["hex", "base64", "base64url"] as const).map((as) => masterKey.toString(as)),
  ])
    expect(shown).not.toContain(secret);

  for (const [name, value] of [
    ["CADASTRE_MASTER_KEY", "dont-tell"],
    ["CADASTRE_MASTER_KEY", `${masterKey.toString("hex")} dont-tell`],
    ["CADASTRE_DATABASE_URL", "mysql://user:dont-tell@host/db"],
  ] as const) {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
    expect(() => readConfig({ [name]: value })).not.toThrow("dont-tell");
  }
  writeFileSync(path, "dont-tell");
  expect(() => readConfig({ CADASTRE_MASTER_KEY_FILE: path })).toThrow(
    `CADASTRE_MASTER_KEY_FILE must name a file with 32 bytes as base64 or hexadecimal, such as \`openssl rand -base64 32\` prints: ${path} has something else`,
  );
  expect(() => readConfig({ CADASTRE_MASTER_KEY_FILE: "/nowhere" })).toThrow(
    "/nowhere cannot be read: there is no such file or folder (ENOENT)",
  );
  expect(() =>
    readConfig({ CADASTRE_MASTER_KEY_FILE: path, CADASTRE_MASTER_KEY: masterKey.toString("hex") }),
  ).toThrow("must not be set both");
});

const direct = {
  CADASTRE_GRANTS: "direct_https",
  CADASTRE_PARTS_BUCKET: "s3://bucket",
  CADASTRE_PARTS_ENDPOINT: "https://objects.example",
};

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["in production", { ...direct, NODE_ENV: "production" }, "only where NODE_ENV is not production"],
  ["with a folder of parts", { CADASTRE_GRANTS: "direct_https" }, "only with CADASTRE_PARTS_BUCKET"],
  [
    "without https",
    { ...direct, CADASTRE_PARTS_ENDPOINT: "http://objects.example" },
    "only with an https address as CADASTRE_PARTS_ENDPOINT",
  ],
])("no part is granted by its address %s", (_, environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(`CADASTRE_GRANTS may be direct_https ${sentence}`);
});

test("a part may be granted by its address outside of production", () => {
  for (const NODE_ENV of ["", "development"])
    expect(readConfig({ ...direct, NODE_ENV }).grants).toBe("direct_https");
  expect(readConfig({ NODE_ENV: "production" }).grants).toBe("logical");
});

const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };

test("traces are recorded only with the address of a collector", () => {
  const { headers, ...tracing } = readConfig(otlp).tracing ?? {};
  expect(headers?.()).toEqual(new Map());
  expect(tracing).toEqual({
    url: "http://collector:4318/v1/traces",
    compression: "none",
    timeout: 10_000,
    sampler: "parentbased_always_on",
    ratio: 1,
    trustsClients: false,
    resource: new Map([["service.name", "cadastre"]]),
    delay: 5000,
    queue: 2048,
  });
  const named = { ...otlp, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in" };
  expect(readConfig(named).tracing?.url).toBe("https://traces.example/in");
  const attributes = { ...named, OTEL_RESOURCE_ATTRIBUTES: "service.name=a, service.namespace=b%2Cc" };
  expect(readConfig(attributes).tracing?.resource).toEqual(
    new Map([
      ["service.name", "a"],
      ["service.namespace", "b,c"],
    ]),
  );
  expect(readConfig({ ...attributes, OTEL_SERVICE_NAME: "c" }).tracing?.resource.get("service.name")).toBe(
    "c",
  );
  for (const off of [{ OTEL_TRACES_EXPORTER: "none" }, { OTEL_SDK_DISABLED: "true" }])
    expect(readConfig({ ...named, ...off }).tracing).toBeUndefined();
  expect(readConfig({ OTEL_TRACES_SAMPLER: "always_on" }).tracing).toBeUndefined();
});

test("headers for the collector are secrets, and are read as OpenTelemetry writes them", () => {
  const OTEL_EXPORTER_OTLP_HEADERS = "authorization=Bearer%20dont-tell, x-a = b=c";
  const config = readConfig({ ...otlp, OTEL_EXPORTER_OTLP_HEADERS });
  expect(config.tracing?.headers()).toEqual(
    new Map([
      ["authorization", "Bearer dont-tell"],
      ["x-a", "b=c"],
    ]),
  );
  expect(JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true })).not.toContain("dont-tell");
  const own = { ...otlp, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-b=1" };
  expect(readConfig(own).tracing?.headers()).toEqual(new Map([["x-b", "1"]]));
  for (const wrong of [
    "dont-tell",
    "a=%dont-tell",
    "a:b=dont-tell",
    "a=dont-tell,",
    "=dont-tell",
    "a=x%0Adont-tell",
  ]) {
    const read = () => readConfig({ ...otlp, OTEL_EXPORTER_OTLP_HEADERS: wrong });
    expect(read).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS must be `name=value` pairs .* headers$/);
    expect(read).not.toThrow("dont-tell");
  }
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:dont-tell@collector" },
    "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a query and without a user",
  ],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, the only protocol of this service (set it for this process alone), not `grpc`",
  ],
  [
    { OTEL_TRACES_SAMPLER: "jaeger_remote" },
    "OTEL_TRACES_SAMPLER must be always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio, not `jaeger_remote`",
  ],
  ...["1.5", "-1", "1%", "1e-2"].map((share): [Record<string, string>, string] => [
    { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: share },
    `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not \`${share}\``,
  ]),
  [
    { OTEL_TRACES_SAMPLER_ARG: "0.01" },
    "OTEL_TRACES_SAMPLER_ARG may be set only with a sampler that has a share, such as `parentbased_traceidratio`, not with `parentbased_always_on`",
  ],
  [
    { OTEL_RESOURCE_ATTRIBUTES: "environment" },
    "OTEL_RESOURCE_ATTRIBUTES must be `name=value` pairs with commas between, and percent-encoded values, not `environment`",
  ],
])("%o is refused in a sentence", (environment, sentence) => {
  expect(() => readConfig({ ...otlp, ...environment })).toThrow(sentence);
});

test.each(["http://:dont-tell@collector", "https://collector/?key=dont-tell", "me:dont-tell@collector"])(
  "the address of a collector is not quoted: %s",
  (address) => {
    const read = () => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: address });
    expect(read).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT must be/);
    expect(read).not.toThrow("dont-tell");
  },
);

test("variables of OpenTelemetry that are meant for other programs stop nothing", () => {
  const others = {
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_TRACES_SAMPLER: "jaeger_remote",
    OTEL_TRACES_SAMPLER_ARG: "endpoint=x",
  };
  expect(readConfig(others).tracing).toBeUndefined();
  for (const off of [{ OTEL_TRACES_EXPORTER: "None" }, { OTEL_SDK_DISABLED: "TRUE" }])
    expect(readConfig({ ...otlp, ...others, ...off }).tracing).toBeUndefined();
});

test.each([
  ["0", 0],
  ["1", 1],
  ["0.01", 0.01],
  [".5", 0.5],
  ["1.0", 1],
])("a sampler records a share of %s", (text, ratio) => {
  const environment = { ...otlp, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: text };
  expect(readConfig(environment).tracing?.ratio).toBe(ratio);
});

test("every variable at fault is named", () => {
  expect(() => readConfig({ PORT: "x", CADASTRE_TOKEN_LIFE: "0" })).toThrow(/^PORT.*\nCADASTRE_TOKEN_LIFE/);
});

describe("a file", () => {
  const write = (content: string) => {
    const file = join(mkdtempSync(join(tmpdir(), "cadastre-config-")), "cadastre.json");
    writeFileSync(file, content);
    return { file, CADASTRE_CONFIG: file };
  };
  const settingsOf = (given: object) => write(JSON.stringify(given));

  test("says what the environment does not say", () => {
    const { CADASTRE_CONFIG } = settingsOf({
      PORT: 81,
      CADASTRE_PAGE_SIZE: "7",
      CADASTRE_COMPRESSION: false,
      CADASTRE_ODATA_VERSION: "4.01",
      CADASTRE_READERS: "",
    });
    expect(readConfig({ CADASTRE_CONFIG, PORT: "82", CADASTRE_PAGE_SIZE: "" })).toMatchObject({
      port: 82,
      pageSize: 7,
      compression: false,
      odataVersion: "4.01",
      readers: 2,
      processes: 1,
    });
  });

  test("is refused with the place of each fault", () => {
    const { file, CADASTRE_CONFIG } = settingsOf({ PORT: -1, CADASTRE_READERS: true });
    expect(() => readConfig({ CADASTRE_CONFIG })).toThrow(
      `${file}:1:9: PORT must be a whole number from 0 to 65535 (0: any free port), not \`-1\`\n${file}:1:31: CADASTRE_READERS must be`,
    );
    expect(() => readConfig({ CADASTRE_CONFIG, PORT: "x", CADASTRE_READERS: "1" })).toThrow(/^PORT must be/);
  });

  test("has no name that is none", () => {
    const { file, CADASTRE_CONFIG } = settingsOf({ CADASTRE_PAGESIZE: 1, toString: 1, PORT: 1 });
    expect(() => readConfig({ CADASTRE_CONFIG })).toThrow(
      new RegExp(
        `^${file}:1:2: \`CADASTRE_PAGESIZE\` is no setting.*\n${file}:1:24: \`toString\` is no setting`,
      ),
    );
  });

  test.each(["{", "[]", "1", '{"PORT":[1]}'])("of %s is refused", (content) => {
    const { file, CADASTRE_CONFIG } = write(content);
    expect(() => readConfig({ CADASTRE_CONFIG })).toThrow(new RegExp(`^${file}:1:\\d: .*(?:must|YAML)`));
  });

  test("that is not there is named", () => {
    expect(() => readConfig({ CADASTRE_CONFIG: "/nowhere/x.json" })).toThrow(
      "--config or CADASTRE_CONFIG must name a settings file that can be read: /nowhere/x.json cannot: there is no such file or folder (ENOENT)",
    );
  });
});

test("the page about this package has the table of settings", () => {
  const page = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = Object.entries<Setting>(settings).map(([name, setting]) => {
    const otherwise = "default" in setting ? setting.default : setting.absent;
    return `| \`${setting.path}\` | \`${name}\` | ${otherwise} | ${setting.means} |`;
  });
  expect(page).toContain(
    ["| Member | Variable | Default | Meaning |", "|---|---|---|---|", ...rows, ""].join("\n"),
  );
});

test("a message of a start names a setting as the settings file does, and where it is set", () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-config-"));
  const file = join(folder, "cadastre.yaml");
  writeFileSync(file, "port: 81\ndata: ./data\n");
  const placed = (message: string, more: Readonly<Record<string, string>> = {}) =>
    withSettingPlaces(message, { CADASTRE_CONFIG: file, ...more });
  expect(placed("the port is in use; set PORT to another one")).toBe(
    `${file}:1:7: the port is in use; set port to another one`,
  );
  expect(placed("x is not a folder: set CADASTRE_DATA to a folder", { CADASTRE_DATA: "x" })).toBe(
    "x is not a folder: set CADASTRE_DATA to a folder",
  );
  expect(placed("start with CADASTRE_LISTINGS=0")).toBe("start with CADASTRE_LISTINGS=0");
  expect(withSettingPlaces("set PORT to another one", {})).toBe("set PORT to another one");
  rmSync(folder, { recursive: true });
});
