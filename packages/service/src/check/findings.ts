const restoreBackup = "restore the last backup with `cadastre restore --replace <backup>`";
const copyFromBackup =
  "copy the file from your last backup, or restore the whole backup with `cadastre restore --replace <backup>`";

/** Remedies by finding code. The codes are stable. */
export const findingCodes = {
  database_damaged: restoreBackup,
  database_altered: restoreBackup,
  database_inconsistent: restoreBackup,
  build_altered:
    "roll back with `cadastre rollback`, or ingest the dataset again in full; if `cadastre check` finds damage too, restore the last backup",
  database_missing: restoreBackup,
  file_missing: copyFromBackup,
  file_damaged: copyFromBackup,
  pepper_missing:
    "copy the secrets.json of this registry from a backup, or revoke the keys with `cadastre key revoke`",
  pepper_foreign:
    "copy the secrets.json of this registry from a backup, or restore the whole backup with `cadastre restore --replace <backup>`",
  secret_unreadable:
    "copy the secrets.json of this registry from a backup, or register the destination or webhook again",
  entitlement_unverifiable:
    "put back the key set that verifies it, or install a new entitlement with `cadastre entitlement install`",
  issuer_untrusted: "start the service, which adds the key to public-keys.json",
  demo_key_invalid:
    "copy the demo.json of this registry from a backup, or remove the key from it: `cadastre key create` makes another one",
  manifest_damaged: "restore the last backup, or have the customer ask for the export again",
  manifest_unverifiable:
    "copy the signing-keys.json of this registry from a backup: customers cannot verify the delivery without it",
  parts_foreign:
    "mount the disk of the parts, or set CADASTRE_PARTS to their folder; if they are lost, run `cadastre parts adopt`",
  part_missing: "a running worker rebuilds it when a customer fetches it; or copy the file from a backup",
  part_damaged: "a running worker rebuilds it when a customer fetches it; or copy the file from a backup",
  part_orphaned: "no delivery needs the file: you may delete it",
  restore_unfinished: "start the service or run `cadastre restore` again: both finish it",
  restore_leftover: "run `cadastre restore` again if you still want it, or delete the folder",
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findingCodes;

/** A fault in a data folder. */
export type Finding = {
  readonly code: FindingCode;
  /** File, delivery or customer with the fault. */
  readonly subject: string;
  readonly detail: string;
};
