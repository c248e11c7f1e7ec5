import { type ConfirmFlags, yesOption } from "@cadastre/client/terminal";
import { Command, Option } from "commander";
import type { AuditAction } from "../audit/actions.ts";
import type { AuditObject } from "../audit/audit-trail.ts";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { adoptFingerprints } from "../data/fingerprints.ts";
import type { Registry } from "../data/registry.ts";
import { listSecrets, sealSecrets } from "../data/seal-secrets.ts";
import { secretPlace } from "../data/secret-place.ts";
import { readSecrets } from "../data/secrets.ts";
import { readPrivateKeys, rotateSigningKey } from "../delivery/signing-keys.ts";
import { takesEffectText, takesEffectWithin } from "../takes-effect.ts";
import { audited, auditOf } from "./audited.ts";
import { confirmDeletion } from "./confirmed.ts";
import { withServiceRegistry } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { table } from "./table.ts";

/** `cadastre secrets …` */
export function secretsCommand(): Command {
  const group = new Command("secrets").description(
    "Look after the secrets of the service: peppers, the key of skip tokens, signing keys and the demo's issuer.",
  );
  group
    .command("list")
    .description("List where each document of secrets is, without its content.")
    .addOption(new Option("--json", "write the result for machines"))
    .action(({ json }: { readonly json?: true }) =>
      withServiceRegistry(async (registry, folder) => {
        const listed = await listSecrets(folder, registry);
        if (json) return printResult(JSON.stringify(listed, null, 2));
        const rows = listed.map(({ document, place, label }) => [document, place, label]);
        printResult(table(["DOCUMENT", "PLACE", "NAME"], rows));
      }),
    );
  group
    .command("seal")
    .description(
      "Move the secrets of the data folder into the registry, sealed under the master key. Secrets that are there are sealed anew under the first master key.",
    )
    .option("--delete-files", "delete the files of the secrets that are in the registry now")
    .addOption(yesOption())
    .action(async (options: ConfirmFlags & { readonly deleteFiles?: true }) => {
      if (options.deleteFiles)
        await confirmDeletion(options, "This deletes the files of all secrets that are in the registry");
      await change("secrets.seal", async (registry, folder) => {
        if (folder.secretSources.masterKeys === undefined)
          throw new CommandRefused(
            "Set CADASTRE_MASTER_KEY_FILE to a file with the key that seals: `openssl rand -base64 32` makes one.",
          );
        const { sealed, resealed, deleted, left } = await sealSecrets(folder, registry, {
          deletes: options.deleteFiles === true,
        });
        for (const name of sealed) printMessage(`Sealed \`${name}\` in the registry.`);
        for (const name of resealed) printMessage(`Sealed \`${name}\` under the first master key.`);
        for (const file of deleted) printMessage(`Deleted ${file}.`);
        if (sealed.length + resealed.length === 0)
          printMessage("Everything is sealed under this master key.");
        if (left.length > 0)
          printMessage(
            `No longer read with a master key: ${left.join(", ")}. Start every node with the master key, then run this command with --delete-files. Keep a copy of the master key: without it nobody can open the secrets.`,
          );
      });
    });
  group
    .command("rotate-signing-key")
    .description(
      "Make a new key that signs manifests. It is published first, and signs a few seconds later. Earlier keys stay published.",
    )
    .action(() =>
      change("secrets.rotate_signing_key", async (registry, folder, know) => {
        const { current, earlier } = await rotateSigningKey(folder, registry, everyNodeFollows);
        know({ key: current });
        printMessage(`The key ${current} signs manifests. ${takesEffectText("follows")}`);
        printMessage(`Still published: ${earlier.join(", ")}.`);
      }),
    );
  group
    .command("adopt")
    .description(
      "Make the secrets of this node those of the registry. Nodes with others refuse to start from then on.",
    )
    .action(() =>
      change("secrets.adopt", async (registry, folder) => {
        const secrets = await readSecrets(folder, registry);
        const [signing] = await readPrivateKeys(folder, secretPlace(folder, "signingKeys", registry));
        await adoptFingerprints(registry, secrets, signing);
        printMessage(
          "The secrets of this node are those of the registry. Start the other nodes with the same.",
        );
      }),
    );
  return group;
}

/** Waits until every running node has noticed a change, with as much again to spare. */
const everyNodeFollows = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 2 * takesEffectWithin));

/** Calls `work` with the registry, and records the action. */
const change = (
  action: AuditAction,
  work: (registry: Registry, folder: DataFolder, know: (object: AuditObject) => void) => Promise<void>,
): Promise<void> =>
  withServiceRegistry((registry, folder, config: Config) =>
    audited({ action, ...auditOf(folder, config) }, (know) => work(registry, folder, know)),
  );
