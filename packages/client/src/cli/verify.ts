import { Command } from "commander";
import { verifyFolder } from "../content/verify-folder.ts";
import { ClientError } from "../errors.ts";
import { readKeyFile } from "../fetch/keys.ts";
import { readPins } from "../fetch/pins.ts";
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
    );
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
