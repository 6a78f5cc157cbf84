import { createHash, randomInt } from 'node:crypto'
import type { Tx } from '#platform/db/database.ts'
import { deleteCodes, insertCodes } from './store.ts'

const codesPerPerson = 10
/** Lowercase letters and digits without those that look alike (i, l, o, 0, 1). */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const groups = 4
const groupLength = 4

/**
 * Recovery codes as a person writes them down: `abcd-efgh-jkmn-pqrs`, with 79 bits of chance. They are
 * shown once; the database stores their hashes.
 */
export function mintRecoveryCodes(): readonly string[] {
  return Array.from({ length: codesPerPerson }, () =>
    Array.from({ length: groups }, () =>
      Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
    ).join('-'),
  )
}

/** SHA-256 in lowercase hex, which differs for each person; letter case and separators do not count. */
export function hashRecoveryCode(userId: string, code: string): string {
  const plain = code.toLowerCase().replace(/[^a-z0-9]/g, '')
  return createHash('sha256').update(`recovery-code\n${userId}\n${plain}`).digest('hex')
}

/** A step: the person's earlier codes end. */
export async function storeRecoveryCodes(
  tx: Tx,
  now: number,
  userId: string,
  codes: readonly string[],
): Promise<void> {
  await deleteCodes(tx, userId)
  const rows = codes.map((code) => ({
    hash: hashRecoveryCode(userId, code),
    user_id: userId,
    created_at: now,
    used_at: null,
  }))
  await insertCodes(tx, rows)
}
