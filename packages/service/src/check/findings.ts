/** Every fault that a check finds, with what helps. The key is the stable code. */
export const findingCodes = {
  database_damaged: "restore the last backup with `cadastre restore --replace`",
  database_altered: "restore the last backup with `cadastre restore --replace`",
  database_inconsistent: "restore the last backup with `cadastre restore --replace`",
  database_missing: "restore the last backup with `cadastre restore --replace`",
  file_missing:
    "put back the copy of it that belongs to this registry: `cadastre restore` with your last backup",
  file_damaged:
    "put back the copy of it that belongs to this registry: `cadastre restore` with your last backup",
  pepper_missing:
    "put back the secrets.json that belongs to this registry, or revoke the keys with `cadastre key revoke`",
  secret_unreadable:
    "put back the secrets.json that belongs to this registry, or register the destination or webhook anew",
  entitlement_unverifiable:
    "put back the key set that it was signed for, or install a new one with `cadastre entitlement install`",
  manifest_damaged: "restore the last backup, or have the customer ask for the export again",
  manifest_unverifiable:
    "put back the signing-keys.json that signed it: customers cannot verify the delivery without",
  part_missing:
    "a running worker builds it again when a customer asks for it; else put back its file from a backup",
  part_damaged:
    "a running worker builds it again when a customer asks for it; else put back its file from a backup",
  part_orphaned: "no delivery needs it: delete the file if you do not",
  restore_unfinished: "start the service or run `cadastre restore` again: both finish it",
  restore_leftover: "run `cadastre restore` again if you still want it, or delete the folder",
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findingCodes;

/** Something in a data folder that is not as it was written. */
export type Finding = {
  readonly code: FindingCode;
  /** The file, or what the registry calls it. */
  readonly subject: string;
  readonly detail: string;
};
