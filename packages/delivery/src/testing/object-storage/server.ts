/** A pair of keys that signs requests. */
export type StorageKeys = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** The account that owns the buckets, roles and keys; 12 digits. */
export const customerAccount = "111122223333";

/** The service's principal. */
export const servicePrincipal = "arn:aws:iam::999988887777:user/cadastre";

export const bucketRegion = "us-west-2";

/** Encryption keys on the server. */
export const kmsKeyArns = [
  `arn:aws:kms:${bucketRegion}:${customerAccount}:key/0c1e8a5e-3f5e-4f0e-9a55-6c1f2f0d7b11`,
  `arn:aws:kms:${bucketRegion}:${customerAccount}:key/5d0f6f0b-4f1e-4c63-8a0e-2b7d2f9c1a22`,
] as const;

export type Role = {
  readonly name: string;
  /** Policies as JSON text. */
  readonly trust: string;
  readonly permissions: string;
};

/** A request that the server received. */
export type Asked = { readonly method: string; readonly path: string; readonly action: string | null };

/**
 * A failure: an error in place of an answer, or a connection that breaks before the request is served (`broken`) or after
 * (`unanswered`); undefined for none.
 */
export type Fault = { readonly status: number; readonly code: string } | "broken" | "unanswered" | undefined;

/** An S3 and STS server on loopback. */
export type ObjectServer = {
  readonly endpoint: string;
  /** Access keys of the service. */
  readonly service: StorageKeys;
  /** Access keys of the customer, who owns the buckets. */
  readonly owner: StorageKeys;
  /** Creates a role below `role/cadastre/file-delivery/` in the customer's account. Returns its ARN. */
  readonly makeRole: (role: Role) => string;
  /** Makes requests fail from now on; undefined ends it. */
  readonly failWhen: (fault: ((asked: Asked) => Fault) | undefined) => void;
  /** True if bucket policies can have a condition on `If-None-Match`. */
  readonly knowsIfNoneMatch: boolean;
  /** True if objects that a role writes belong to its account, as with AWS; otherwise they belong to the session's principal. */
  readonly isOwnersWhatRolesWrite: boolean;
  readonly stop: () => Promise<void>;
};

export const rolePath = "/cadastre/file-delivery/";

/** Returns the body of an error. S3 and STS have different forms. */
export const errorBody = (code: string, message: string, isSts: boolean): string => {
  const error = `<Code>${code}</Code><Message>${escapeXml(message)}</Message>`;
  return isSts
    ? `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>${error}</Error><RequestId>1</RequestId></ErrorResponse>`
    : `<?xml version="1.0" encoding="UTF-8"?><Error>${error}<RequestId>1</RequestId></Error>`;
};

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
