/** A pair of keys that signs requests. */
export type Keys = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Whose account holds the buckets, roles and keys; 12 digits. */
export const customerAccount = "111122223333";

/** The principal that the service is. */
export const servicePrincipal = "arn:aws:iam::999988887777:user/cadastre";

export const region = "us-west-2";

/** Encryption keys that the server has. */
export const kmsKeyArns = [
  `arn:aws:kms:${region}:${customerAccount}:key/0c1e8a5e-3f5e-4f0e-9a55-6c1f2f0d7b11`,
  `arn:aws:kms:${region}:${customerAccount}:key/5d0f6f0b-4f1e-4c63-8a0e-2b7d2f9c1a22`,
] as const;

export type Role = {
  readonly name: string;
  /** Policies as JSON text. */
  readonly trust: string;
  readonly permissions: string;
};

/** A request as it came in. */
export type Asked = { readonly method: string; readonly path: string; readonly action: string | null };

/**
 * What goes wrong: an error in place of an answer, a connection that breaks before the request is served or after; undefined:
 * nothing.
 */
export type Fault = { readonly status: number; readonly code: string } | "broken" | "unanswered" | undefined;

/** An S3 and STS server on loopback. */
export type ObjectServer = {
  readonly endpoint: string;
  /** Of the service. */
  readonly service: Keys;
  /** Of the customer: owns the buckets. */
  readonly owner: Keys;
  /** Make a role below `role/cadastre/file-delivery/` of the customer's account, and give its ARN. */
  readonly makeRole: (role: Role) => string;
  /** Have requests fail from now on; undefined: no more. */
  readonly failWhen: (fault: ((asked: Asked) => Fault) | undefined) => void;
  /** Whether bucket policies can ask for `If-None-Match`. */
  readonly knowsIfNoneMatch: boolean;
  /** Whether what a role writes is its account's, as with AWS; else it is of who has assumed the role. */
  readonly isOwnersWhatRolesWrite: boolean;
  readonly stop: () => Promise<void>;
};

export const rolePath = "/cadastre/file-delivery/";

/** What services of AWS answer in the place of a result: S3 in one form, STS in another. */
export const errorBody = (code: string, message: string, isSts: boolean): string => {
  const error = `<Code>${code}</Code><Message>${escapeXml(message)}</Message>`;
  return isSts
    ? `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>${error}</Error><RequestId>1</RequestId></ErrorResponse>`
    : `<?xml version="1.0" encoding="UTF-8"?><Error>${error}<RequestId>1</RequestId></Error>`;
};

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
