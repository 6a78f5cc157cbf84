import { Fault } from '#kernel/fault.ts'
import { withoutEnd } from '#kernel/without-end.ts'
import { providerFaults } from './provider-faults.ts'

/**
 * An address that a person typed, without slashes at its end. Whether it may be dialled is checked
 * with every connection, because a name can point elsewhere by then.
 *
 * @throws Fault provider_address_invalid
 */
export function providerAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    // Secrets belong in api_key, which is sealed; every editor sees the address.
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  if (!plain) throw new Fault(providerFaults.provider_address_invalid)
  return withoutEnd(url.href, '/')
}
