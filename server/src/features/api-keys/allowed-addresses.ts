import ipaddr from 'ipaddr.js'
import { recordStranger } from '#features/audit/index.ts'
import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Sender } from './sender.ts'

export const addressFaults = defineFaults({
  address_block_invalid: withFacts<{ block: string }>('invalid'),
  /** A valid key from an address that it does not allow. Callers get the answer for an unknown key. */
  key_address_refused: 'unauthenticated',
})

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * Reads addresses and networks in CIDR notation for storage. The host part of a network is cleared.
 *
 * @returns null for none, which allows every address
 * @throws Fault address_block_invalid
 */
export function writeBlocks(blocks: readonly string[] = []): string | null {
  if (blocks.length === 0) return null
  return [...new Set(blocks.map((block) => writeBlock(block.trim())))].join(' ')
}

export function readBlocks(stored: string | null): readonly string[] | null {
  return stored === null ? null : stored.split(' ')
}

function writeBlock(text: string): string {
  const [network, bits] = parseBlock(text)
  const kind = network.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  const cleared = kind.networkAddressFromCIDR(`${network.toNormalizedString()}/${bits}`)
  return `${cleared.toString()}/${bits}`
}

function parseBlock(text: string): Block {
  // isValid accepts numbers such as 127 and 0x7f000001, which nobody means.
  const [address = '', prefix] = text.split('/')
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  const isBlock = isAddress && (prefix === undefined || ipaddr.isValidCIDR(text))
  if (!isBlock) throw new Fault(addressFaults.address_block_invalid, { block: text.slice(0, 100) })
  const parsed = ipaddr.parse(address)
  const bits = prefix === undefined ? parsed.toByteArray().length * 8 : Number(prefix)
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96
  return isMapped ? [parsed.toIPv4Address(), bits - 96] : [parsed, bits]
}

function isAllowed(stored: string, address: string | null): boolean {
  if (address === null || !ipaddr.isValid(address)) return false
  const sender = ipaddr.process(address)
  return stored.split(' ').some((block) => {
    const [network, bits] = ipaddr.parseCIDR(block)
    return sender.kind() === network.kind() && sender.match(network, bits)
  })
}

interface AddressedKey {
  readonly id: string
  readonly workspaceId: string
  /** As `writeBlocks` wrote them. */
  readonly allowedAddresses: string | null
}

type RecordContext = Pick<Context, 'db' | 'clock' | 'limits' | 'log'>

/**
 * Lets a key without allowed addresses through, and others only from one of them.
 *
 * @param recordedBy the surface that the audit entry names; null if the caller records the refusal
 * @throws Fault key_address_refused
 */
export async function requireAllowedAddress(
  ctx: RecordContext,
  key: AddressedKey,
  sender: Sender,
  recordedBy: 'chat' | 'acp' | null,
): Promise<void> {
  const { allowedAddresses } = key
  if (allowedAddresses === null) return
  const address = sender.address()
  if (isAllowed(allowedAddresses, address)) return
  if (recordedBy !== null) await recordOnce(ctx, key, address, recordedBy)
  throw new Fault(addressFaults.key_address_refused)
}

const once = { limit: 1, windowSeconds: 60 } as const

/** Records one refusal per key and minute. A failure to record must not change the answer. */
async function recordOnce(
  ctx: RecordContext,
  { id, workspaceId }: AddressedKey,
  address: string | null,
  surface: 'chat' | 'acp',
): Promise<void> {
  const { code } = addressFaults.key_address_refused
  try {
    if (!(await ctx.limits.consume(`key:refused:${id}`, once)).allowed) return
    const event = { surface, action: 'use_key', target: id, workspaceId, address }
    const detail = { refused: code }
    await ctx.db.write((tx) => recordStranger(tx, ctx.clock.now(), { ...event, detail }))
  } catch (error) {
    ctx.log.error({ err: error, keyId: id }, 'could not record a refusal')
  }
}
