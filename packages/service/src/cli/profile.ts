import type { MlsProfile } from "@cadastre/store/registry";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { currentCatalog } from "../data/catalogs.ts";
import type { Registry } from "../data/registry.ts";
import { takesEffectText } from "../takes-effect.ts";
import { withServiceRegistry } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { profileCopyCommand } from "./profile-copy.ts";
import { requireSystem } from "./system/require-system.ts";
import { table } from "./table.ts";

type Output = { readonly json?: true };

/** Members of a profile that the operator sets with options. */
type OperatorMembers = Omit<MlsProfile, "datasetId" | "approved">;

/** Names of the options that set each member. */
const optionOf: Readonly<Record<keyof OperatorMembers, string>> = {
  displayName: "--display-name",
  fullName: "--full-name",
  disclaimer: "--disclaimer",
  logoUrl: "--logo-url",
  rulesUrl: "--rules-url",
  updateHours: "--update-hours",
};

const json = () => new Option("--json", "write the result for machines");
const dataset = () =>
  new Argument("<dataset>", "id of the originating system, as `cadastre system list` shows it");

/** `cadastre profile …` */
export function profileCommand(): Command {
  const group = new Command("profile").description("Say how listings of a dataset are to be presented.");
  group
    .command("set")
    .description("Approve a dataset, with its profile. What is not given stays as it was.")
    .addArgument(dataset())
    .option(`${optionOf.displayName} <name>`, "name for presentation and attribution", readText)
    .option(`${optionOf.fullName} <name>`, "name of the originating system in full", readText)
    .option(`${optionOf.disclaimer} <text>`, "what must be members with the listings", readText)
    .option(`${optionOf.logoUrl} <url>`, "address of the logo", readUrl)
    .option(`${optionOf.rulesUrl} <url>`, "address of the rules of display", readUrl)
    .option(`${optionOf.updateHours} <hours>`, "hours between updates of copies, at most", readHours)
    .option("--draft", "keep the profile, and show it to no customer")
    .action(setProfile);
  group.addCommand(profileCopyCommand());
  group
    .command("show")
    .description("Show the profile of a dataset.")
    .addArgument(dataset())
    .action(showProfile);
  group.command("list").description("List the profiles.").addOption(json()).action(listProfiles);
  return group;
}

function readText(text: string): string {
  if (text.trim() === "" || text.length > 4000)
    throw new InvalidArgumentError("It must be 1 to 4000 characters.");
  return text.trim();
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new InvalidArgumentError("It must be an https address.");
  return url.href;
}

function readHours(text: string): number {
  const hours = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (hours < 1 || hours > 8760) throw new InvalidArgumentError("It must be a whole number from 1 to 8760.");
  return hours;
}

/** Returns the dataset of a system. @throws {CommandRefused} */
const datasetIdOf = async (id: string, { catalogs }: Pick<Registry, "catalogs">): Promise<string> =>
  requireSystem((await currentCatalog(catalogs)).catalog, id).datasetId;

const setProfile = (
  id: string,
  { draft, ...members }: Partial<OperatorMembers> & { readonly draft?: true },
) =>
  withServiceRegistry(async ({ profiles, catalogs }) => {
    const datasetId = await datasetIdOf(id, { catalogs });
    const before = await profiles.find(datasetId);
    const whole = { ...before, ...members };
    if (!isWhole(whole)) throw new CommandRefused(`the profile of ${id} lacks ${missingIn(whole)}`);
    const approved = draft ? null : (before?.approved ?? Date.now());
    await profiles.set({ ...whole, datasetId, approved });
    printMessage(
      approved === null
        ? `The profile of ${id} is a draft, and no customer sees it. ${takesEffectText("knows")}`
        : `${id} is approved, and customers see its profile. ${takesEffectText("knows")}`,
    );
  });

const missingIn = (members: Partial<OperatorMembers>): string =>
  Object.entries(optionOf)
    .filter(([name]) => !Object.hasOwn(members, name))
    .map(([, option]) => option)
    .join(", ");

const isWhole = (members: Partial<OperatorMembers>): members is OperatorMembers => missingIn(members) === "";

const profileJson = ({ approved, ...profile }: MlsProfile) => ({
  ...profile,
  approved: approved === null ? null : new Date(approved).toISOString(),
});

const showProfile = (id: string) =>
  withServiceRegistry(async ({ profiles, catalogs }) => {
    const profile = await profiles.find(await datasetIdOf(id, { catalogs }));
    if (profile === undefined) throw new CommandRefused(`${id} has no profile: \`profile set\` makes one`);
    printResult(JSON.stringify(profileJson(profile), null, 2));
  });

const listProfiles = (output: Output) =>
  withServiceRegistry(async ({ profiles, catalogs }) => {
    const { systems } = (await currentCatalog(catalogs)).catalog;
    const stored = await profiles.list();
    if (output.json) return printResult(JSON.stringify(stored.map(profileJson), null, 2));
    if (stored.length === 0) return printMessage("No profiles.");
    const rows = stored.map(({ datasetId, displayName, updateHours, approved }) => [
      systems.find((system) => system.datasetId === datasetId)?.id ?? datasetId,
      displayName,
      `${updateHours} h`,
      approved === null ? "draft" : "approved",
    ]);
    printResult(table(["DATASET", "NAME", "UPDATE", "STATE"], rows));
  });
