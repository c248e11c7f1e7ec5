import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../src/config.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-settings-"));
const file = join(folder, "cadastre.yaml");

const read = (text: string, environment: Readonly<Record<string, string>> = {}) => {
  writeFileSync(file, text);
  return readConfig({ ...environment, CADASTRE_CONFIG: file });
};

/** Returns the lines of the fault, without the folder of the file. */
function faultsOf(text: string, environment?: Readonly<Record<string, string>>): readonly string[] {
  try {
    read(text, environment);
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, "").split("\n");
  }
  return [];
}

test("sections, lists and paths are read, and a variable overrides a member", () => {
  writeFileSync(join(folder, "url"), "postgres://me:dont-tell@db/listings\n");
  const text = `
port: 81
odata_version: 4.0
data: ./data
compression: no-such-value
database:
  url_file: url
  connections: 16
  read_urls: ["postgres://one/data", "postgres://two:\${PASSWORD}@three/data"]
limits:
  page_size:
cors_origins: [https://a.example, https://b.example]
log_level: &level warn
trust: { key_set: keys.json, issuer: "$\${x}", audience: *level }
`;
  const config = read(text, { PORT: "82", CADASTRE_COMPRESSION: "false", PASSWORD: "secret" });
  expect(config).toMatchObject({
    port: 82,
    odataVersion: "4.0",
    compression: false,
    dataFolder: join(folder, "data"),
    postgres: {
      url: "postgres://me:dont-tell@db/listings",
      connections: 16,
      readUrls: ["postgres://one/data", "postgres://two:secret@three/data"],
    },
    pageSize: 100,
    logLevel: "warn",
    trust: { keySet: join(folder, "keys.json"), issuer: `\${x}`, audience: "warn" },
  });
});

test("a file of the earlier form means what its variables mean", () => {
  expect(
    read('{"PORT": 81, "CADASTRE_DATA": "data", "CADASTRE_KEY_SET": "", "CADASTRE_COMPRESSION": false}'),
  ).toMatchObject({
    port: 81,
    dataFolder: "data",
    compression: false,
  });
  for (const empty of ["", "# port: 1\n", "database:\n  # url: x\n"]) expect(read(empty).port).toBe(8080);
});

test.each<[string, string, readonly RegExp[], Readonly<Record<string, string>>?]>([
  [
    "a misspelled member",
    "port: 80\ncompresion: false\n",
    [
      /^cadastre\.yaml:2:1: `compresion` is no setting: did you mean `compression`\? Allowed are port, host, .*, database, /,
    ],
  ],
  [
    "a misspelled member of a section",
    "database:\n  ulr: postgres://x/y\n",
    [
      /^cadastre\.yaml:2:3: `database\.ulr` is no setting: did you mean `database\.url`\? Allowed in `database` are url, url_file, read_urls, /,
    ],
  ],
  [
    "a misspelled section",
    "databse: { url: x }\n",
    [/^cadastre\.yaml:1:1: `databse` is no setting: did you mean `database`\? Allowed are port/],
  ],
  [
    "a member in the wrong section",
    "query:\n  page_size: 5\nparts:\n  page_size: 5\n",
    [
      /^cadastre\.yaml:1:1: `query` is no setting\. Allowed/,
      /^cadastre\.yaml:4:3: `parts\.page_size` .*`limits\.page_size`\? Allowed in `parts` are folder, bucket, region, endpoint, bytes$/,
    ],
  ],
  [
    "a value out of bounds",
    "limits:\n  page_size: 5000\n",
    [/^cadastre\.yaml:2:14: limits\.page_size must be a whole number from 1 to 1000, not `5000`$/],
  ],
  [
    "a value of another kind",
    "port: [1, 2]\nlog_level: { is: loud }\ndatabase: postgres://x/y\n",
    [
      /^cadastre\.yaml:1:7: port must be a whole number .*, not a list$/,
      /^cadastre\.yaml:2:12: log_level must be debug, info, warn, error or silent, not a section$/,
      /^cadastre\.yaml:3:11: `database` is a section: .* Allowed in it are url, url_file, /,
    ],
  ],
  [
    "a variable that is not set",
    `database:\n  url: postgres://me:\${NO_PASSWORD}@db/x\n`,
    [/^cadastre\.yaml:2:8: database\.url refers to the variable `NO_PASSWORD`, which is not set: set it/],
  ],
  [
    "a file of a secret that is not there",
    "database:\n  url_file: nowhere\n",
    [
      /^cadastre\.yaml:2:13: database\.url_file must name a file that can be read: nowhere cannot: there is no such file or folder \(ENOENT\)$/,
    ],
  ],
  [
    "a secret of the wrong form, which is not told",
    "secrets:\n  master_key: dont-tell\n",
    [/^cadastre\.yaml:2:15: secrets\.master_key must be 32 bytes .* prints$/],
  ],
  [
    "settings that belong together",
    "trust:\n  issuer: https://issuer.example\n",
    [
      /^cadastre\.yaml:2:11: trust\.key_set, trust\.issuer, trust\.audience must be set together: without trust\.key_set and trust\.audience/,
    ],
  ],
  [
    "a member twice",
    "port: 1\nhost: x\nport: 2\n",
    [/^cadastre\.yaml:3:1: `port` occurs twice in one section: keep one$/],
  ],
  ["a file that is not YAML", "port: 1\n\thost: x\n", [/^cadastre\.yaml:\d:\d: is not valid YAML: /]],
  [
    "a misspelled variable",
    "port: 1\n",
    [/^CADASTRE_PAGESIZE in the environment is no setting: did you mean `CADASTRE_PAGE_SIZE`\? Allowed are /],
    { CADASTRE_PAGESIZE: "1" },
  ],
  [
    "faults of file and environment at once",
    "prot: 1\ndrain: { seconds: x }\n",
    [
      /^cadastre\.yaml:1:1: `prot` is no setting: did you mean `port`\?/,
      /^CADASTRE_NOTHING_LIKE_IT in the environment is no setting\. Allowed/,
      /^cadastre\.yaml:2:19: drain\.seconds must be a whole number from 0 to 3600, not `x`$/,
      /^CADASTRE_READERS must be a whole number from 1 to 64, not `0`$/,
    ],
    { CADASTRE_NOTHING_LIKE_IT: "1", CADASTRE_READERS: "0" },
  ],
])("%s is refused with its place and what is allowed", (_, text, patterns, environment) => {
  const faults = faultsOf(text, environment);
  expect(faults).toHaveLength(patterns.length);
  for (const [i, pattern] of patterns.entries()) expect(faults[i]).toMatch(pattern);
  expect(faults.join()).not.toContain("dont-tell");
});

test("variables of other programs are no faults", () => {
  const others = {
    CADASTRE_API_KEY: "x",
    CADASTRE_SERVICE_HOST: "10.0.0.1",
    CADASTRE_PORT: "tcp://10.0.0.1:80",
    CADASTRE_PORT_80_TCP_ADDR: "10.0.0.1",
    CADASTRE_SERVICE_PORT_HTTP: "80",
  };
  expect(readConfig(others).port).toBe(8080);
  expect(read(`host: \${CADASTRE_OWN_HOST}\n`, { CADASTRE_OWN_HOST: "::1" }).host).toBe("::1");
});
