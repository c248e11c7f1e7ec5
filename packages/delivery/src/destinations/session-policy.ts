import type { DestinationPlace } from "./destination.ts";

/** Beginning of the names of probe objects; random digits follow. */
export const probeName = ".probe-";

type Statement = {
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: object;
};

const policyOf = (place: DestinationPlace, statements: readonly Statement[]): object => ({
  Version: "2012-10-17",
  Statement: [
    ...statements,
    ...(place.kmsKeyArn === null ? [] : [allow(["kms:GenerateDataKey", "kms:Decrypt"], place.kmsKeyArn)]),
  ],
});

const allow = (Action: readonly string[], Resource: Statement["Resource"]): Statement => ({
  Effect: "Allow",
  Action,
  Resource,
});

const objectsOf = ({ bucket, prefix }: DestinationPlace, below: string): string =>
  `arn:aws:s3:::${bucket}/${prefix}/${below}*`;

/**
 * Returns the session policy of a publication: it may write and look at objects in its own folder, and at one object beside it.
 *
 * @param pointer key of that object below the prefix; null if there is none
 */
export const publicationPolicy = (
  place: DestinationPlace,
  { folder, pointer }: { readonly folder: string; readonly pointer: string | null },
): object => {
  const own = objectsOf(place, `${folder}/`);
  const beside = pointer === null ? [] : [`arn:aws:s3:::${place.bucket}/${place.prefix}/${pointer}`];
  return policyOf(place, [allow(["s3:PutObject", "s3:GetObject"], [own, ...beside])]);
};

/** Returns the session policy of a verification: it may ask for the bucket's region, and write, look at, list and remove probes. */
export const verificationPolicy = (place: DestinationPlace): object => {
  const bucket = `arn:aws:s3:::${place.bucket}`;
  return policyOf(place, [
    allow(["s3:GetBucketLocation"], bucket),
    allow(["s3:PutObject", "s3:GetObject", "s3:DeleteObject"], objectsOf(place, probeName)),
    {
      ...allow(["s3:ListBucket"], bucket),
      Condition: { StringLike: { "s3:prefix": `${place.prefix}/${probeName}*` } },
    },
  ]);
};
