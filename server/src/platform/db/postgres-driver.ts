import { createRequire } from 'node:module'
import type * as pg from 'pg'

const require = createRequire(import.meta.url)

/** `pg`, loaded when PostgreSQL is first used: a service on SQLite rests without its 10 MB. */
export function postgresDriver(): typeof pg {
  // The package itself types what it exports.
  return require('pg') as typeof pg
}
