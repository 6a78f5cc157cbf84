import { z } from 'zod'
import { Fault } from '#kernel/fault.ts'
import { identityFaults } from './identity-faults.ts'

// RFC 5321 §4.5.3.1.3: a path has at most 256 octets, two of them its angle brackets.
const maxEmailLength = 254
/**
 * The part of a longer text that is read: NFC joins at most four characters, so it is still too long.
 * The time of normalization grows with the square of a run of combining marks.
 */
const maxReadLength = 4 * (maxEmailLength + 1)
const emailForm = z.email()

/** One spelling per mailbox: Parley ignores letter case. */
export function normalizeEmail(text: string): string {
  return text.trim().slice(0, maxReadLength).normalize('NFC').toLowerCase()
}

/**
 * A new account's address, normalized.
 *
 * @throws Fault email_invalid
 */
export function requireEmail(text: string): string {
  const email = normalizeEmail(text)
  if (email.length <= maxEmailLength && emailForm.safeParse(email).success) return email
  throw new Fault(identityFaults.email_invalid)
}
