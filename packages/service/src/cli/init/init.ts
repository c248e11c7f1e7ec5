import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { typedCommand } from "@cadastre/client/terminal";
import { Command } from "commander";
import { stringify } from "yaml";
import { readConfig } from "../../config.ts";
import { settingsFileName } from "../../settings/find-settings-file.ts";
import { settingsTemplate } from "../../settings/settings-template.ts";
import { writePrivate } from "../entitlement/files.ts";
import { createIssuerKey } from "../entitlement/keygen.ts";
import { CommandRefused, printMessage, printResult, WrongUsage } from "../outcome.ts";
import { addSystem } from "../system/add.ts";
import { completeAnswers, optionOf, readAnswers } from "./answers.ts";
import { addressFiles, createPostgresDatabase } from "./postgres.ts";
import { prepareEmptyDatabases, userWhoChangesTables } from "./prepare.ts";
import { type InitAnswers, type Question, questions, systemsOf } from "./questions.ts";
import { rolesCommand } from "./roles.ts";

type InitOptions = { readonly from?: string; readonly yes?: boolean };

/** `cadastre init` */
export function initCommand(): Command {
  const command = new Command("init")
    .description(
      "Set up a service for your own listings: write a settings file with every setting, prepare empty databases, and make an issuer's key. Asks on a terminal. Nothing that exists is replaced. The file is `cadastre.yaml`, or that of `--config` or CADASTRE_CONFIG.",
    )
    .option("--from <file>", "file of answers: YAML with the names of these flags, such as `base_url`")
    .option("--yes", "take the default of each question that no flag answers");
  for (const { flag, asks, default: otherwise } of questions)
    command.option(flag, otherwise === "" ? asks : `${asks}; by default ${otherwise}`);
  return command.addCommand(rolesCommand()).action(init);
}

async function init(options: InitOptions & Readonly<Record<string, string>>): Promise<void> {
  const file = process.env["CADASTRE_CONFIG"] || settingsFileName;
  // The file does not exist yet: commands that read the settings must not look for it.
  delete process.env["CADASTRE_CONFIG"];
  if (existsSync(file))
    throw new CommandRefused(
      `${file} exists, and is not replaced: edit it and run \`cadastre doctor\`, or write another one with \`--config <file>\``,
    );
  const answers = await completeAnswers(knownAnswers(options), options.yes === true, prompt());
  await setUp(file, answers);
}

/** Questions whose answers are paths. */
const paths: readonly string[] = ["data", "issuer_key"];

/**
 * A flag takes precedence over the file of answers. A path of a flag starts from the current folder, as the shell completes it; all other
 * paths start from the folder of the settings file, as those in that file do.
 */
function knownAnswers(options: InitOptions & Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const flags = questions.flatMap((question): [string, string][] => {
    const answer = options[optionOf(question)];
    if (answer === undefined) return [];
    return [[question.name, paths.includes(question.name) && answer !== "" ? resolve(answer) : answer]];
  });
  return new Map([...(options.from === undefined ? [] : readAnswers(options.from)), ...flags]);
}

/** Returns the function that asks on the terminal. Undefined if there is none. */
function prompt(): ((question: Question) => Promise<string>) | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async ({ asks, default: otherwise, fault }) => {
    const { default: input } = await import("@inquirer/input");
    const validate = (answer: string) => {
      const must = fault(answer);
      return must === undefined || `must be ${must}`;
    };
    return input({ message: asks, default: otherwise, validate }, { output: process.stderr });
  };
}

async function setUp(file: string, given: InitAnswers): Promise<void> {
  const folder = dirname(resolve(file));
  const { data, issuer_key, admin_url } = given;
  const answers = {
    ...given,
    data: resolve(folder, data),
    issuer_key: issuer_key === "" ? "" : resolve(folder, issuer_key),
  };
  const isIssuer = answers.issuer_key !== "";
  // As for every other command, the variable has precedence over the file: it names the owner of the tables, and is not written to the file.
  const owner = process.env["CADASTRE_DATABASE_URL"] ?? "";
  refuseContradictions(answers, owner);
  if (isIssuer) refuseExisting(answers.issuer_key);
  const urlFile = join(folder, addressFiles.service.name);
  const configAt = (url: string) =>
    readConfig({
      ...process.env,
      CADASTRE_DATA: answers.data,
      CADASTRE_DATABASE_URL: url,
      CADASTRE_LISTINGS: "0",
    });
  const createTables = (url: string) => prepareEmptyDatabases(configAt(url));
  if (admin_url !== "")
    answers.database_url = (await createPostgresDatabase(admin_url, folder, createTables)).service;
  const hasPassword = answers.database_url !== "" && new URL(answers.database_url).password !== "";
  if (admin_url === "") {
    if (hasPassword) refuseExisting(urlFile);
    await createTables(owner || answers.database_url);
  }
  const tableOwner = await userWhoChangesTables(configAt(answers.database_url));
  printMessage(`Databases without listings: ${answers.database_url === "" ? answers.data : "in PostgreSQL"}`);
  if (isIssuer) {
    await mkdir(dirname(answers.issuer_key), { recursive: true, mode: 0o700 });
    await createIssuerKey({ out: answers.issuer_key, jwks: join(folder, "key-set.json") });
  }
  if (hasPassword && admin_url === "") await writePrivate(urlFile, answers.database_url);
  const values = settingsOf(answers, folder, hasPassword, isIssuer);
  await writePrivate(file, settingsTemplate(values).trimEnd());
  printMessage(`Settings: ${file}`);
  process.env["CADASTRE_CONFIG"] = file;
  for (const system of systemsOf(answers.systems)) if (system) await addSystem(system.id, system);
  if (tableOwner !== undefined)
    printMessage(
      `${tableOwner} may change tables, which a service need not: run the SQL of \`cadastre init roles\`, write the address of cadastre_service to ${hasPassword ? urlFile : file}, and give the owner's in CADASTRE_DATABASE_URL to commands that change tables.`,
    );
  printMessage(nextSteps(file, answers));
  printResult(summary(given).trimEnd());
}

/** @throws {WrongUsage} if the addresses of the database do not fit together */
function refuseContradictions({ admin_url, database_url }: InitAnswers, owner: string): void {
  if (admin_url !== "" && database_url !== "")
    throw new WrongUsage("--admin-url makes the address of the service: give no --database-url beside it");
  if (admin_url !== "" && owner !== "")
    throw new WrongUsage("--admin-url creates the owner of the tables: unset CADASTRE_DATABASE_URL");
  if (owner !== "" && database_url === "")
    throw new WrongUsage(
      "--database-url is missing: CADASTRE_DATABASE_URL is set, so the tables are created with its address, and the settings need the one of the service's role",
    );
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new CommandRefused(`${file} exists, and is not replaced: name another file, or move it away`);
}

function settingsOf(
  answers: InitAnswers,
  folder: string,
  hasPassword: boolean,
  isIssuer: boolean,
): ReadonlyMap<string, string> {
  const fromFolder = (path: string) => {
    const found = relative(folder, path);
    return found.startsWith("..") || isAbsolute(found) ? path : `./${found}`;
  };
  const given: readonly (readonly [string, string])[] = [
    ["data", fromFolder(answers.data)],
    ["port", answers.port],
    ["sample_listings", "0"],
    ["base_url", answers.base_url],
    hasPassword
      ? ["database.url_file", `./${addressFiles.service.name}`]
      : ["database.url", answers.database_url],
    ...(isIssuer
      ? ([
          ["trust.key_set", "./key-set.json"],
          ["trust.issuer", answers.issuer],
          ["trust.audience", answers.audience],
        ] as const)
      : []),
  ];
  return new Map(given.filter(([, value]) => value !== ""));
}

/** Returns the answers as a file for `--from`, without users and passwords of databases. */
function summary({ systems, admin_url, database_url, port, ...others }: InitAnswers): string {
  const withoutUser = (url: string) => url.replace(/:\/\/[^@/]*@/, "://…@");
  return stringify({
    ...others,
    port: Number(port),
    admin_url: withoutUser(admin_url),
    database_url: withoutUser(database_url),
    systems: systemsOf(systems),
  });
}

function nextSteps(file: string, { issuer_key, systems, admin_url }: InitAnswers): string {
  const config = file === settingsFileName ? "" : ` --config ${file}`;
  const signer = issuer_key === "" ? "" : ` --issuer-key ${issuer_key}`;
  const command = `  ${typedCommand("cadastre")}${config}`;
  return [
    ...(issuer_key === ""
      ? [
          "Name your issuer in the section `trust` of the settings: `key_set`, `issuer` and `audience`. Until then the service trusts keys of its own, for the demo.",
        ]
      : [
          `The private key ${issuer_key} signs what customers may see. Move it to another machine, where you run \`cadastre entitlement sign\`; the service needs key-set.json alone.`,
        ]),
    ...(admin_url === ""
      ? []
      : [
          `Commands that change tables, such as \`system learn --apply\` and \`field add\`, begin with CADASTRE_DATABASE_URL="$(cat ${join(dirname(file), addressFiles.owner.name)})".`,
        ]),
    "Next:",
    `${command} doctor`,
    ...(systems === "" ? [`${command} system add <system> --name <name> --states <codes>`] : []),
    `${command} ingest --resource Property --source <system> <file>`,
    `${command} publish Property`,
    `${command} customer add <customer> --template idx --systems all${signer}`,
    `${command} serve`,
  ].join("\n");
}
