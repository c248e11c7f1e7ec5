import type { NewDestination } from "../../src/destinations/destination.ts";
import { at, customer } from "./tables.ts";

let made = 0;

/** A place of the customer that nobody has reserved yet, later than those before. */
export const newDestination = (
  more: Partial<Extract<NewDestination, { readonly server: null }>> = {},
): NewDestination => ({
  id: `00000000-0000-7000-9000-${String(++made).padStart(12, "0")}`,
  customer,
  bucket: "acme-exports",
  region: "us-west-2",
  prefix: "cadastre",
  roleArn: "arn:aws:iam::111122223333:role/cadastre/file-delivery/exports",
  kmsKeyArn: null,
  server: null,
  secret: "sealed",
  created: at + made,
  ...more,
});
