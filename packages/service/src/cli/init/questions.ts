import { administrationDatabases } from "../../data/set-up-postgres.ts";
import type { Setting } from "../../settings/setting.ts";
import { settings } from "../../settings/settings.ts";
import { parseSystem, systemForm } from "./system-answer.ts";

/** A question of `cadastre init`. Its answer comes from a flag, from the file of answers or from the terminal. */
export type Question = {
  /** Name of the answer in a file of answers. */
  readonly name: string;
  readonly flag: string;
  readonly asks: string;
  /** Answer with `--yes`, and of an empty line. An empty text leaves the setting unset. */
  readonly default: string;
  /** Returns the description of valid answers if an answer is none, to follow "must be". */
  readonly fault: (answer: string) => string | undefined;
  /** True if what is answered leaves nothing to ask: the answer is empty then. */
  readonly isNeedless?: (answers: ReadonlyMap<string, string>) => boolean;
};

const bySetting =
  ({ is, must }: Setting) =>
  (answer: string) =>
    answer === "" || is.safeParse(answer).success ? undefined : must;

const anything = () => undefined;

const namesNewDatabase = (answer: string): boolean =>
  settings.CADASTRE_DATABASE_URL.is.safeParse(answer).success &&
  !administrationDatabases.includes(new URL(answer).pathname.slice(1));

/** The questions of `cadastre init`, in the order in which they are asked. */
export const questions = [
  {
    name: "data",
    flag: "--data <folder>",
    asks: "Folder of the data",
    default: "./data",
    fault: (answer) => (answer === "" ? "the path of a folder" : undefined),
  },
  {
    name: "admin_url",
    flag: "--admin-url <url>",
    asks: "Address of a PostgreSQL administrator, to create the database in it, its roles and tables; empty if they exist, or for SQLite files",
    default: "",
    isNeedless: (answers) => answers.has("database_url"),
    fault: (answer) =>
      answer === "" || namesNewDatabase(answer)
        ? undefined
        : "an address with the name of the database to create, such as `postgres://postgres:password@host:5432/cadastre`",
  },
  {
    name: "database_url",
    flag: "--database-url <url>",
    asks: "PostgreSQL database, as the service connects to it; empty for SQLite files in the folder",
    default: "",
    isNeedless: (answers) => (answers.get("admin_url") ?? "") !== "",
    fault: bySetting(settings.CADASTRE_DATABASE_URL),
  },
  {
    name: "port",
    flag: "--port <port>",
    asks: "Port to listen on",
    default: settings.PORT.default,
    fault: bySetting(settings.PORT),
  },
  {
    name: "base_url",
    flag: "--base-url <url>",
    asks: "Address of the service as clients see it; empty for that of each request",
    default: "",
    fault: bySetting(settings.CADASTRE_BASE_URL),
  },
  {
    name: "systems",
    flag: "--systems <systems>",
    asks: "Systems as id:name:states or id:name:states:PREFIX_, with semicolons between",
    default: "",
    fault: (answer) =>
      systemsOf(answer).includes(undefined) ? `${systemForm}, with semicolons between` : undefined,
  },
  {
    name: "issuer_key",
    flag: "--issuer-key <file>",
    asks: "New file for the private key that signs entitlements; empty if you have an issuer",
    default: "./issuer/private-key.json",
    fault: anything,
  },
  {
    name: "issuer",
    flag: "--issuer <name>",
    asks: "Name of the issuer (`iss` of entitlements)",
    default: "cadastre-issuer",
    fault: (answer) => (answer === "" ? "a name" : undefined),
  },
  {
    name: "audience",
    flag: "--audience <name>",
    asks: "Name of this service for the issuer (`aud` of entitlements)",
    default: "cadastre",
    fault: (answer) => (answer === "" ? "a name" : undefined),
  },
] as const satisfies readonly Question[];

/** Answers to all questions, by their names. */
export type InitAnswers = Readonly<Record<(typeof questions)[number]["name"], string>>;

/** Parses the answer on systems. */
export const systemsOf = (answer: string) =>
  answer
    .split(";")
    .filter((text) => text.trim() !== "")
    .map(parseSystem);
