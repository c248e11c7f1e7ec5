import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type _Object,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  type BucketAccess,
  createDestinations,
  type DestinationOptions,
  type Destinations,
} from "../../index.ts";
import { openSqliteTestRegistry, type TestRegistry } from "../registry.ts";
import { type Filled, policyOf } from "./onboarding.ts";
import { bucketRegion, kmsKeyArns, type ObjectServer, servicePrincipal } from "./server.ts";

export const bucketCustomer = "cust_7h2k";

/** An object as its owner sees it. */
type Seen = { readonly key: string; readonly etag: string; readonly modified: string };

/** A customer with a bucket at a server, and the service that delivers to it. */
export type Customer = {
  readonly bucket: string;
  readonly destinations: Destinations;
  readonly registry: TestRegistry;
  /** Settings by which the service reaches the server. */
  readonly access: BucketAccess;
  /** Waits of the service between attempts, in milliseconds. They are recorded, not waited for. */
  readonly waits: number[];
  /** Reserves a destination, and follows the onboarding page. */
  readonly onboard: (wanted?: Onboarding) => Promise<Onboarded>;
  /** Lists the objects with a prefix. */
  readonly look: (prefix: string) => Promise<readonly Seen[]>;
  /** Reads an object as the bucket's owner, who may lack the permission: see {@link ObjectServer.isOwnersWhatRolesWrite}. */
  readonly read: (key: string) => Promise<Uint8Array>;
  /** Writes an object as the bucket's owner. */
  readonly write: (key: string, text: string, more?: object) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
  readonly guard: (policy: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Onboarding = {
  readonly bucket?: string;
  readonly region?: string;
  readonly kmsKeyArn?: string | null | undefined;
  /** Changes to the page's policies, as JSON text. */
  readonly trust?: (policy: string) => string;
  readonly permissions?: (policy: string) => string;
};

export type Onboarded = {
  readonly id: string;
  readonly externalId: string;
  readonly prefix: string;
  readonly words: Filled;
};

let made = 0;

export async function makeCustomer(
  server: ObjectServer,
  more: Partial<DestinationOptions> = {},
): Promise<Customer> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-push-"));
  const registry = await openSqliteTestRegistry({ file: join(folder, "registry.sqlite") });
  await registry.entitlements.install({ customer: bucketCustomer, version: 1, jws: "a.b.c", installed: 0 });
  const bucket = `brokerage-exports-${++made}`;
  const owner = new S3Client({
    region: bucketRegion,
    endpoint: server.endpoint,
    forcePathStyle: true,
    credentials: server.owner,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  await owner.send(
    new CreateBucketCommand({
      Bucket: bucket,
      CreateBucketConfiguration: { LocationConstraint: bucketRegion },
    }),
  );
  const waits: number[] = [];
  const access: BucketAccess = {
    keys: server.service,
    endpoints: { s3: server.endpoint, sts: server.endpoint },
    pathStyle: true,
    retryPolicy: {
      attempts: 4,
      first: 100,
      longest: 150,
      random: () => 0.5,
      wait: async (milliseconds) => void waits.push(milliseconds),
    },
  };
  const destinations = createDestinations({
    registry: registry.destinations,
    key: Buffer.alloc(32, 7),
    access,
    ...more,
  });

  return {
    bucket,
    destinations,
    registry,
    access,
    waits,
    onboard: async (wanted = {}) => {
      const { kmsKeyArn = kmsKeyArns[0], trust = same, permissions = same } = wanted;
      const prefix = `deliveries/p${++made}`;
      const role = `exports-${made}`;
      const place = {
        bucket: wanted.bucket ?? bucket,
        region: wanted.region ?? bucketRegion,
        prefix,
        kmsKeyArn,
      };
      const roleArn = `arn:aws:iam::111122223333:role/cadastre/file-delivery/${role}`;
      const { destination, externalId = "" } = await destinations.reserve(bucketCustomer, {
        ...place,
        roleArn,
      });
      const words: Filled = {
        SERVICE_PRINCIPAL: servicePrincipal,
        EXTERNAL_ID: externalId,
        BUCKET: place.bucket,
        PREFIX: prefix,
        KMS_KEY_ARN: kmsKeyArn,
      };
      server.makeRole({
        name: role,
        trust: trust(policyOf("Trust policy", words)),
        permissions: permissions(policyOf("Permissions", words)),
      });
      return { id: destination.id, externalId, prefix, words };
    },
    look: async (prefix) => {
      const pages = paginateListObjectsV2({ client: owner }, { Bucket: bucket, Prefix: prefix });
      const objects: Seen[] = [];
      for await (const { Contents = [] } of pages) objects.push(...Contents.map(toSeen));
      return objects.map(({ key, ...rest }) => ({ key: key.slice(prefix.length), ...rest }));
    },
    read: async (key) => {
      const { Body } = await owner.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      if (Body === undefined) throw new Error(`${key} has no bytes`);
      return Body.transformToByteArray();
    },
    write: async (key, text, members = {}) => {
      await owner.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ...members }));
    },
    remove: async (key) => {
      await owner.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
    guard: async (policy) => {
      await owner.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: policy }));
    },
    close: async () => {
      owner.destroy();
      await registry.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const toSeen = ({ Key: key = "", ETag: etag = "", LastModified }: _Object): Seen => ({
  key,
  etag,
  modified: LastModified?.toISOString() ?? "",
});

const same = (policy: string) => policy;
