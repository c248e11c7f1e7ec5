import type { MigrationSteps, StepSequence } from "../database/migration-steps.ts";
import { deliveryTables } from "./delivery-tables.ts";
import { eventTables } from "./event-tables.ts";

/** Migrations of a registry's tables. Times are in milliseconds since 1970. */
const steps: MigrationSteps = {
  "001_access": (schema) =>
    schema
      .createTable("cadastre_customer", (table) => {
        table.text("name").primary();
        table.bigInteger("version").notNullable();
        table.text("entitlement").notNullable();
        table.bigInteger("installed").notNullable();
      })
      .createTable("cadastre_api_key", (table) => {
        table.text("id").primary();
        table.text("customer").notNullable().references("name").inTable("cadastre_customer").index();
        table.text("prefix").notNullable();
        table.text("digest").notNullable().unique();
        table.integer("pepper").notNullable();
        table.bigInteger("created").notNullable();
        table.bigInteger("expires");
        table.bigInteger("revoked");
        table.bigInteger("last_used");
      }),
  "002_identities": (schema) =>
    schema
      .createTable("cadastre_resolution", (table) => {
        table.text("id").primary();
        table.text("placekey").notNullable();
        table.bigInteger("resolved").notNullable();
      })
      .createTable("cadastre_crosswalk", (table) => {
        table.text("source").notNullable();
        table.text("listing").notNullable();
        table.text("placekey").notNullable();
        table.primary(["source", "listing"]);
      })
      .createTable("cadastre_revision", (table) => {
        table.text("name").primary();
        table.bigInteger("revision").notNullable();
      }),
  "003_profiles": (schema) =>
    schema.createTable("cadastre_profile", (table) => {
      table.text("dataset_id").primary();
      table.text("display_name").notNullable();
      table.text("full_name").notNullable();
      table.text("disclaimer").notNullable();
      table.text("logo_url").notNullable();
      table.text("rules_url").notNullable();
      table.integer("update_hours").notNullable();
      table.bigInteger("approved");
    }),
  "004_deliveries": deliveryTables,
  "005_destinations": (schema) =>
    schema
      .createTable("cadastre_destination", (table) => {
        table.text("id").primary();
        table.text("customer").notNullable().references("name").inTable("cadastre_customer").index();
        table.text("bucket").notNullable().index();
        table.text("region").notNullable();
        table.text("prefix").notNullable();
        table.text("role_arn").notNullable();
        table.text("kms_key_arn");
        table.text("external_id");
        table.bigInteger("created").notNullable();
        table.text("state").notNullable();
        table.text("failure");
        table.bigInteger("verified");
        table.integer("round").notNullable();
      })
      // Locked by a transaction while it reserves a prefix in the bucket.
      .createTable("cadastre_destination_bucket", (table) => {
        table.text("name").primary();
      }),
  "006_subscriptions": (schema) =>
    schema
      .createTable("cadastre_subscription", (table) => {
        table.text("id").primary();
        table.text("customer").notNullable().references("name").inTable("cadastre_customer");
        table.text("name").notNullable();
        table.text("domain").notNullable();
        table.text("profile").notNullable();
        table.text("mode").notNullable();
        table.text("destination");
        table.bigInteger("cadence_seconds").notNullable();
        table.integer("preferred_minute");
        table.text("empty_behavior").notNullable();
        table.bigInteger("created").notNullable();
        table.text("request_key");
        table.text("fingerprint");
        table.text("state").notNullable();
        table.text("code");
        table.bigInteger("entitlement_version").notNullable();
        table.bigInteger("due");
        table.text("delivery").index();
        table.bigInteger("generation").notNullable();
        table.bigInteger("sequence").notNullable();
        table.bigInteger("since");
        table.text("since_name");
        table.text("previous");
        table.text("pins");
        table.bigInteger("revision").notNullable();
        table.unique(["customer", "request_key"]);
        table.index(["customer", "state"]);
      })
      .alterTable("cadastre_delivery", (table) => {
        table.boolean("no_change").notNullable().defaultTo(false);
        table.index(["subscription", "generation", "sequence"]);
      })
      .raw(
        partialUnique(
          "cadastre_subscription_name",
          "cadastre_subscription (customer, name)",
          "state <> 'canceled'",
        ),
      )
      .raw(
        partialUnique(
          "cadastre_delivery_open",
          "cadastre_delivery (subscription)",
          "state in ('queued', 'building', 'sealed')",
        ),
      )
      .raw(
        partialUnique(
          "cadastre_delivery_place",
          "cadastre_delivery (subscription, generation, sequence)",
          "subscription is not null and state in ('complete', 'expired', 'purged')",
        ),
      ),
  "007_publications": (schema) =>
    schema
      .raw("drop index cadastre_delivery_open")
      .raw(
        partialUnique(
          "cadastre_delivery_open",
          "cadastre_delivery (subscription)",
          "state in ('queued', 'building', 'sealed', 'publishing')",
        ),
      )
      .alterTable("cadastre_destination", (table) => {
        // Time of the next probe.
        table.bigInteger("due").index();
      }),
  "008_webhooks": (schema) =>
    schema
      .createTable("cadastre_webhook", (table) => {
        table.text("id").primary();
        table.text("customer").notNullable().references("name").inTable("cadastre_customer").index();
        table.text("url").notNullable();
        table.text("events").notNullable();
        table.text("secret").notNullable();
        table.text("previous_secret");
        table.bigInteger("previous_until");
        table.bigInteger("created").notNullable();
        table.text("state").notNullable();
        table.text("failure");
        table.integer("last_status");
        table.bigInteger("last_attempt");
        table.bigInteger("told_version");
        table.text("told_scope");
        table.bigInteger("seen_version").notNullable();
        table.bigInteger("compare");
        table.bigInteger("due").notNullable();
        table.bigInteger("leased").notNullable();
        table.integer("attempts").notNullable();
        table.integer("round").notNullable();
      })
      .createTable("cadastre_webhook_message", (table) => {
        table.text("webhook").notNullable().references("id").inTable("cadastre_webhook");
        table.text("id").notNullable();
        table.text("type").notNullable();
        table.bigInteger("at").notNullable();
        table.text("delivery").references("id").inTable("cadastre_delivery");
        table.bigInteger("entitlement_version");
        table.primary(["webhook", "id"]);
      })
      .alterTable("cadastre_delivery", (table) => {
        // Time at which webhooks were notified of the end.
        table.bigInteger("told");
      })
      .raw(
        "update cadastre_delivery set told = created where state not in ('queued', 'building', 'sealed', 'publishing')",
      )
      .raw("create index cadastre_delivery_untold on cadastre_delivery (id) where told is null"),
  "009_committed": (schema) =>
    schema.alterTable("cadastre_delivery", (table) => {
      // Set just before the last object of the publication is written.
      table.bigInteger("committed");
    }),
  "010_damage": (schema) =>
    schema
      // Damaged parts and manifests, until they are rebuilt.
      .createTable("cadastre_damage", (table) => {
        table.text("sha256").primary();
        table.bigInteger("found").notNullable();
        table.text("worker");
        table.bigInteger("fence").notNullable().defaultTo(0);
        table.integer("attempts").notNullable().defaultTo(0);
        // In the time of the database's clock, like `due` of a delivery.
        table.bigInteger("due").notNullable().defaultTo(0);
      })
      .alterTable("cadastre_delivery", (table) => {
        table.index(["manifest_sha256"]);
      })
      .alterTable("cadastre_manifest", (table) => {
        // Null if sealed by a version that did not store it.
        table.text("signature_sha256");
      }),
  "011_guards": (schema) =>
    schema
      .createTable("cadastre_pepper", (table) => {
        table.integer("version").primary();
        table.text("check_value").notNullable();
      })
      // Has one row: the identity of this registry.
      .createTable("cadastre_registry", (table) => {
        table.integer("number").primary();
        table.text("id").notNullable();
      }),
  "012_secrets": (schema) =>
    schema
      .createTable("cadastre_sealed_document", (table) => {
        table.text("name").primary();
        table.text("sealed").notNullable();
        table.bigInteger("revision").notNullable();
      })
      // Identifies what every process with this registry must have in common, without disclosing it.
      .createTable("cadastre_fingerprint", (table) => {
        table.text("name").primary();
        table.text("value").notNullable();
      }),
  "013_usage": (schema) =>
    schema
      // Reports of running processes to each other, in PostgreSQL.
      .createTable("cadastre_usage", (table) => {
        table.text("process").primary();
        table.text("machine").notNullable();
        table.text("report").notNullable();
        // In the time of the database's clock.
        table.bigInteger("seen").notNullable();
      }),
  "014_catalog": (schema) =>
    schema.createTable("cadastre_catalog", (table) => {
      table.bigInteger("version").primary();
      table.text("definition").notNullable();
      table.bigInteger("created").notNullable();
    }),
  "015_feeds": (schema) =>
    schema.createTable("cadastre_feed", (table) => {
      table.text("name").primary();
      table.text("definition").notNullable();
      table.bigInteger("created").notNullable();
      table.text("state").notNullable();
      table.bigInteger("due").notNullable();
      table.bigInteger("leased").notNullable();
      table.bigInteger("round").notNullable();
      table.text("worker");
      table.integer("failures").notNullable();
      table.bigInteger("last_start");
      table.bigInteger("last_end");
      table.bigInteger("last_success");
      table.text("last_error");
      table.bigInteger("records_read").notNullable();
      table.bigInteger("records_staged").notNullable();
      table.bigInteger("records_rejected").notNullable();
      table.bigInteger("modified");
      table.text("progress");
    }),
  "016_workers": (schema) =>
    // Heartbeats of running workers. Times are of the database's clock.
    schema.createTable("cadastre_worker", (table) => {
      table.text("id").primary();
      table.text("name").notNullable();
      table.text("host").notNullable();
      table.integer("process").notNullable();
      table.text("work").notNullable();
      table.text("release").notNullable();
      table.bigInteger("started").notNullable();
      table.bigInteger("seen").notNullable();
    }),
  "017_events": eventTables,
  "018_event_pushes": (schema) =>
    schema
      .alterTable("cadastre_webhook", (table) => {
        // Of a webhook that gets entity events: its label, and the number of the last one that arrived.
        table.text("event_source");
        table.bigInteger("event_number");
      })
      // Encrypted bearer tokens that receivers of entity events ask for.
      .createTable("cadastre_webhook_token", (table) => {
        table.text("webhook").primary().references("id").inTable("cadastre_webhook");
        table.text("token").notNullable();
      }),
  "019_operations": (schema) =>
    schema
      // References of further acknowledgements: the first one is in `cadastre_acknowledgement`.
      .createTable("cadastre_acknowledgement_reference", (table) => {
        table.text("delivery").notNullable().references("id").inTable("cadastre_delivery");
        table.text("reference").notNullable();
        table.bigInteger("at").notNullable();
        table.primary(["delivery", "reference"]);
      })
      .alterTable("cadastre_delivery", (table) => {
        // Time of the present or last claim, by the database's clock.
        table.bigInteger("claimed");
        // Code of the last failed attempt that was followed by a retry.
        table.text("fault");
      })
      .alterTable("cadastre_delivery_part", (table) => {
        // Time at which it was finished, by the database's clock; null for parts of earlier versions.
        table.bigInteger("finished");
        // It has all that the totals of parts are computed of.
        table.index(["finished", "rows", "byte_length"]);
      })
      .alterTable("cadastre_subscription", (table) => {
        // Code of the suspension that webhooks were notified of.
        table.text("told_code");
      })
      .raw("update cadastre_subscription set told_code = code where state = 'suspended'")
      .raw(
        "create index cadastre_subscription_suspended on cadastre_subscription (id) where state = 'suspended'",
      )
      .alterTable("cadastre_webhook_message", (table) => {
        table.text("subscription").references("id").inTable("cadastre_subscription");
        table.text("code");
      }),
  "020_delivery_documents": (schema) =>
    // Documents that manifests name by hash, once for each customer.
    schema.createTable("cadastre_delivery_document", (table) => {
      table.text("customer").notNullable().references("name").inTable("cadastre_customer");
      table.text("kind").notNullable();
      table.text("sha256").notNullable();
      table.text("text").notNullable();
      // What the last delivery that named it was granted, as JSON.
      table.text("scope").notNullable();
      table.primary(["customer", "kind", "sha256"]);
    }),
  "021_event_commits": (schema) =>
    // Time of the commit of `checkpoint`, by which it is told from another commit with its number after a restore.
    schema.alterTable("cadastre_event_log", (table) => table.bigInteger("committed")),
  "022_destination_servers": (schema) =>
    schema.alterTable("cadastre_destination", (table) => {
      table.text("endpoint");
      table.boolean("path_style");
      table.text("access_key_id");
    }),
  "023_narrowed_subscriptions": (schema) =>
    // Filter and selected fields of a subscription as JSON; null if it has neither.
    schema.alterTable("cadastre_subscription", (table) => table.text("narrowing")),
  "025_denied_pointers": (schema) =>
    // Time at which the bucket was first found to deny that pointers are replaced; null if it allows it.
    schema.alterTable("cadastre_destination", (table) => table.bigInteger("pointer_denied")),
  "027_told_lapses": (schema) =>
    schema
      .alterTable("cadastre_webhook", (table) => {
        // True if its customer was told that the entitlement grants nothing any more, such as one that has expired, and not of a revocation.
        table.boolean("told_lapse");
      })
      .raw(
        // An entitlement that was removed is an empty text.
        `update cadastre_webhook set told_lapse = true where told_version is null and customer in
          (select name from cadastre_customer where entitlement <> '')`,
      ),
  "028_event_indexes": (schema, engine) =>
    // An event that moves to another number writes to each index. PostgreSQL finds the events of a resource fast enough by the primary key.
    engine === "sqlite"
      ? schema
      : schema.alterTable("cadastre_event", (table) => table.dropIndex(["customer", "resource", "number"])),
};

/** Returns a statement that creates a unique index on the rows that meet a condition. */
const partialUnique = (name: string, columns: string, condition: string): string =>
  `create unique index ${name} on ${columns} where ${condition}`;

/** Migrations of a registry's tables. */
export const registrySteps: StepSequence = { listedIn: "cadastre_registry_migration", steps };
