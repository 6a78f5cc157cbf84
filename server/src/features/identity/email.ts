import { z } from 'zod'
import { Fault } from '#kernel/fault.ts'
import { identityFaults } from './identity-faults.ts'

// RFC 5321 §4.5.3.1.3: a path has at most 256 octets, two of them its angle brackets.
const maxEmailLength = 254
const emailForm = z.email()

/** One spelling for one mailbox, as far as Parley tells them apart: letter case does not matter. */
export function normalizeEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/**
 * A new account's address in its one spelling.
 *
 * @throws Fault email_invalid
 */
export function requireEmail(text: string): string {
  const email = normalizeEmail(text)
  if (email.length <= maxEmailLength && emailForm.safeParse(email).success) return email
  throw new Fault(identityFaults.email_invalid)
}
