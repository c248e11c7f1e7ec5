import type { Knex } from "knex";

/** For connections made by knex: what fails is thrown, so there is nothing to say beside it. */
export const silent: Knex.Logger = { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} };
