import { basename, dirname, join, resolve } from "node:path";
import { ManifestError } from "@cadastre/manifest";
import { Command } from "commander";
import { verifyFolder } from "../content/verify-folder.ts";
import { ClientError } from "../errors.ts";
import { readKeyFile } from "../fetch/keys.ts";
import { readPins } from "../fetch/pins.ts";
import { manifestFile } from "../fetch/staging.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printMessage, printResult } from "../terminal/output.ts";
import { jsonOption, type TrustFlags, withTrust } from "./options.ts";

/** `cadastre-client verify <folder>` */
export const verifyCommand = (): Command =>
  withTrust(
    new Command("verify")
      .description(
        "Check a folder that holds a delivery: manifest, signature, parts and records, without a network.",
      )
      .argument("<folder>", "folder with manifest.json, signature.json and the parts")
      .addOption(jsonOption()),
    "JWKS file of who may sign",
  ).action(async (folder: string, { keys, unsigned, pin, json }: TrustFlags & { readonly json?: true }) => {
    if (keys === undefined && !unsigned) throw new ClientError("keys_or_unsigned");
    const trusted = keys === undefined ? "unsigned" : await readKeyFile(keys);
    const report = await withElapsed("verifying", () =>
      verifyFolder(folder, { keys: trusted, pins: readPins(pin ?? []) }),
    ).catch((error: unknown) => {
      const repair = repairText(folder, error);
      if (repair !== undefined) printMessage(repair);
      throw error;
    });
    const { manifest, sha256, signed, counted } = report;
    const { partCount: parts, rowCount: rows } = manifest.totals;
    if (json)
      printResult(
        JSON.stringify({
          deliveryId: manifest.deliveryId,
          manifestSha256: sha256,
          signed,
          parts,
          rows,
          counted,
        }),
      );
    else
      printMessage(
        `Delivery ${manifest.deliveryId} is whole: ${parts} parts, ${rows} rows${counted ? "" : " (not counted)"}, manifest ${sha256}, ${signed ? "signed" : "signature not looked at"}.`,
      );
  });

/** Faults of a file that another transfer of it repairs. A pull looks at lengths alone, so a file of the right length must be deleted. */
const repaired: Readonly<Partial<Record<string, "fetch" | "delete">>> = {
  file_missing: "fetch",
  part_length_differs: "fetch",
  part_hash_differs: "delete",
  part_content_differs: "delete",
};

/** Returns the command that fetches damaged files again; undefined if that does not help. */
function repairText(folder: string, error: unknown): string | undefined {
  const place = resolve(folder);
  const pull = `\`cadastre-client pull ${basename(place)} --url <origin> --into ${dirname(place)}\``;
  const fetched = "fetches what is missing or damaged";
  if (error instanceof ManifestError) return `If ${manifestFile} is damaged, ${pull} ${fetched}.`;
  if (!(error instanceof ClientError)) return undefined;
  const way = repaired[error.code];
  if (way === undefined) return undefined;
  if (way === "fetch") return `To repair it: ${pull} ${fetched}.`;
  return `To repair it: delete ${join(place, error.file ?? "the part")}, then run ${pull}.`;
}
