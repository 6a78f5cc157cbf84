import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { identityFaults } from './identity-faults.ts'
import { requireStrength, type Known } from './password-strength.ts'
import { wordsAbout } from './store.ts'

const argon2Async = promisify(argon2)

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const saltLength = 16
const hashLength = 32
// Version 1.3 (RFC 9106 §3.1), the only one that Node supports.
const argonVersion = 19

const shortestPassword = 10
/** Long enough for any phrase, short enough that hashing cannot be used to overload the server. */
const maxPasswordLength = 512

const phcForm =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** @throws Fault password_length */
export function requirePasswordLength(password: string): void {
  const characters = Array.from(password).length
  if (characters >= shortestPassword && characters <= maxPasswordLength) return
  const facts = { least: shortestPassword, most: maxPasswordLength }
  throw new Fault(identityFaults.password_length, facts)
}

/**
 * Checks a password that a person chose, and hashes it.
 *
 * @throws Fault password_length, password_guessable
 */
export async function hashNewPassword(
  { db, workers }: Pick<Context, 'db' | 'workers'>,
  password: string,
  known: Known,
): Promise<string> {
  requirePasswordLength(password)
  const words = await wordsAbout(db.read, known.email)
  await requireStrength(workers, password, { ...known, words })
  return await hashPassword(password)
}

/** An argon2id hash in PHC string form; computed off the event loop, about 50 ms. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltLength)
  const hash = await derive(password, salt, hashLength, cost)
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=${argonVersion}$${parameters}$${unpadded(salt)}$${unpadded(hash)}`
}

/**
 * True when the password matches the hash, at the cost stored in it. Without a hash the result is false
 * and takes as long, so that timing does not reveal who has an account.
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, hash] = phcForm.exec(phc ?? '') ?? []
  // No stored password is longer, and normalizing a run of marks takes time that grows with its square.
  const isTooLong = password.length > 2 * maxPasswordLength
  if (salt === undefined || hash === undefined || isTooLong) {
    await derive(isTooLong ? '' : password, Buffer.alloc(saltLength), hashLength, cost)
    return false
  }
  const expected = Buffer.from(hash, 'base64')
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(actual, expected)
}

interface Cost {
  /** KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

function derive(password: string, nonce: Buffer, tagLength: number, cost: Cost): Promise<Buffer> {
  // NFC, so that a password typed on another system has the same bytes.
  const message = password.normalize('NFC')
  return argon2Async('argon2id', { message, nonce, tagLength, ...cost })
}

/** PHC strings write base64 without its padding. */
function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
