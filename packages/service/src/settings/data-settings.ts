import { z } from "zod";
import { toGivenDocument } from "../data/given-document.ts";
import { toMasterKeys } from "../data/master-key.ts";
import { anyText, readBy, type Setting, wholeNumber } from "./setting.ts";

/** Description of a valid master key, to follow "must be". */
export const masterKeyForm = "32 bytes as base64 or hexadecimal, such as `openssl rand -base64 32` prints";

const isPostgresUrl = (given: string) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
};

function toPostgresUrls(given: string): readonly string[] | undefined {
  const urls = given.split(",").map((url) => url.trim());
  return urls.every(isPostgresUrl) ? urls : undefined;
}

/** Settings of databases, secrets and records. */
export const dataSettings = {
  CADASTRE_DATA: {
    member: "dataFolder",
    path: "data",
    isPath: true,
    ...anyText("the path of a folder"),
    default: ".data",
    means: "Folder of the databases, the secrets and `demo.json`",
  },
  CADASTRE_DATABASE_URL: {
    member: "databaseUrl",
    path: "database.url",
    hasFileMember: true,
    is: z.string().refine(isPostgresUrl),
    must: "an address such as `postgres://user:password@host:5432/database`",
    isSecret: true,
    absent: "none",
    means:
      "PostgreSQL database of the listings and the registry, in place of files in the folder: see [PostgreSQL](#postgresql)",
  },
  CADASTRE_READ_URLS: {
    member: "readUrls",
    path: "database.read_urls",
    isList: true,
    hasFileMember: true,
    is: readBy(toPostgresUrls),
    must: "addresses such as `postgres://user:password@host:5432/database`, with commas between",
    absent: "none",
    means: "Standbys of that database to read from, with commas between: see [Replicas](#replicas)",
  },
  CADASTRE_DATABASE_CONNECTIONS: {
    member: "databaseConnections",
    path: "database.connections",
    ...wholeNumber(2, 1000),
    default: "8",
    means:
      "Connections of a process that read a PostgreSQL server, a quarter of them for scans: see [PostgreSQL](#postgresql)",
  },
  CADASTRE_DATABASE_STATEMENTS: {
    member: "databaseStatements",
    path: "database.statements",
    is: z.enum(["named", "unnamed"]),
    must: "named or unnamed",
    default: "named",
    means: "`unnamed` behind a pooler that does not follow named statements: see [PostgreSQL](#postgresql)",
  },
  CADASTRE_MASTER_KEY_FILE: {
    member: "masterKeyFile",
    path: "secrets.master_key_file",
    isPath: true,
    ...anyText("the path of a file with a master key"),
    absent: "none",
    means:
      "File of the key that seals secrets in the registry, instead of files in the folder: see [Secrets](#secrets)",
  },
  CADASTRE_MASTER_KEY: {
    member: "masterKey",
    path: "secrets.master_key",
    is: readBy(toMasterKeys),
    must: masterKeyForm,
    isSecret: true,
    absent: "none",
    means: "That key itself, in place of a file",
  },
  CADASTRE_SECRETS: {
    member: "secrets",
    path: "secrets.peppers",
    isPath: true,
    is: z.string().transform(toGivenDocument),
    must: "the path of a file of secrets, or its JSON text",
    isSecret: true,
    absent: "`secrets.json` of the data folder",
    means: "Peppers of the keys and the key of skip tokens: a file, or its text: see [Secrets](#secrets)",
  },
  CADASTRE_LISTINGS: {
    member: "listings",
    path: "sample_listings",
    ...wholeNumber(0, 10_000_000, "start without listings"),
    default: "20000",
    means:
      "Sample listings to make in an empty folder; 0 starts without any: see [the first start](#the-first-start)",
  },
  CADASTRE_MAX_SHRINK: {
    member: "maxShrink",
    path: "max_shrink",
    ...wholeNumber(0, 100),
    default: "20",
    means:
      "Percentage of a set, or of a source's records in it, that a full load or a publication may remove without `--allow-shrink`: see [Removals](#removals)",
  },
  CADASTRE_CHECK_HOURS: {
    member: "checkHours",
    path: "check_hours",
    ...wholeNumber(0, 8760),
    default: "24",
    means:
      "Hours between two checks of the databases, the first one at the start; 0 for none: see [Check](../../docs/operations.md#check)",
  },
} as const satisfies Record<string, Setting>;
