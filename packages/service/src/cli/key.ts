import { yesOption } from "@cadastre/client/terminal";
import { Command, Option } from "commander";
import { createKey, listKeys, revokeKey, rotateKey, rotateKeyPepper } from "./key-actions.ts";
import { parsePeriod, parseTimeToCome } from "./times.ts";

const json = () => new Option("--json", "write the result for machines");

const expires = () =>
  new Option("--expires <time>", "when the new key ends: a date, or how long from now").argParser((text) =>
    parseTimeToCome(text, Date.now()),
  );

const overlap = () =>
  new Option("--overlap <duration>", "how long the old key goes on working")
    .argParser(parsePeriod)
    .default(parsePeriod("7d"), "7d");

/** `cadastre key …` */
export function keyCommand(): Command {
  const group = new Command("key").description("Make, list and end API keys.");
  group
    .command("create <customer>")
    .description("Make an API key. Its text is shown this once, on standard output.")
    .addOption(expires())
    .addOption(json())
    .action(createKey);
  group
    .command("list [customer]")
    .description("List the API keys of all customers, or of one.")
    .addOption(json())
    .action(listKeys);
  group
    .command("rotate <id>")
    .description("Make a second API key for the customer of this one, which ends after the overlap.")
    .addOption(overlap())
    .addOption(expires())
    .addOption(json())
    .action(rotateKey);
  group
    .command("revoke <id>")
    .description("End an API key now, and for good.")
    .addOption(yesOption())
    .addOption(json())
    .action(revokeKey);
  group
    .command("rotate-pepper")
    .description("Make a new pepper for the digests of keys. Each key moves to it at its next use.")
    .addOption(json())
    .action(rotateKeyPepper);
  return group;
}
