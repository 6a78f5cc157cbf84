import { randomBytes } from 'node:crypto'

const names = new WeakMap<object, string>()

/**
 * A name for the statements that a connection keeps. PostgreSQL keeps them apart by connection, but
 * what stands in front of it may not: a pooler, or a server with one session for all connections.
 */
export function sessionName(connection: object): string {
  const known = names.get(connection)
  if (known !== undefined) return known
  const name = `parley_${randomBytes(5).toString('hex')}`
  names.set(connection, name)
  return name
}
