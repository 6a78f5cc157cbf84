import type { UserRow } from './store.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  /** False until the person has chosen a password. */
  readonly hasPassword: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export function userFromRow(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    hasPassword: row.password_hash !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
