import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, type FlattenedJWSInput } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '#platform/context.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import { publicKeysAt } from './public-keys.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = { ...(await exportJWK(publicKey)), kid: 'e', alg: 'ES256' }

describe('the public keys of a host', () => {
  let now: number
  let fetched: string[]
  let limits: object | undefined
  let answer: () => Response
  let ctx: Pick<Context, 'outbound' | 'clock'>

  beforeEach(() => {
    now = 1_000_000
    fetched = []
    answer = () => Response.json({ keys: [key] })
    const outbound: Context['outbound'] = {
      ...createOutbound({ allowPrivate: ['keys.internal'] }),
      fetch: (given) => {
        limits = given
        return async (address) => {
          fetched.push(address instanceof Request ? address.url : String(address))
          return answer()
        }
      },
    }
    ctx = { outbound, clock: { now: () => now } }
  })

  const find = async (address = 'https://host.example/keys') => {
    const keys = await publicKeysAt(ctx, address)
    // Only the header decides which key is found.
    return await keys({ alg: 'ES256', kid: 'e' }, {} as FlattenedJWSInput)
  }

  test('are read without members that are long to check', async () => {
    // `jose` compares all of them with each other, and refuses a repetition.
    answer = () => Response.json({ keys: [{ ...key, key_ops: ['verify', 'verify'] }, 'x'] })
    expect(await find()).toHaveProperty('type', 'public')
    expect(limits).toMatchObject({ maxBytes: 64 * 1024, maxValues: 500 })
  })

  test.each([
    ['an error', () => new Response('', { status: 500 })],
    ['no set of keys', () => Response.json([])],
    ['no JSON', () => new Response('<html>')],
  ])('are read again 30 seconds after %s, and not before', async (_, failure) => {
    answer = failure
    await expect(find()).rejects.toThrow()
    answer = () => Response.json({ keys: [key] })
    await expect(find()).rejects.toThrow('less than 30 seconds')
    now += 29_999
    await expect(find()).rejects.toThrow('less than 30 seconds')
    expect(fetched).toHaveLength(1)
    now += 1
    expect(await find()).toHaveProperty('type', 'public')
    expect(fetched).toHaveLength(2)
  })

  test('are kept as long as their address is used, of 200 addresses', async () => {
    for (let n = 0; n < 250; n += 1) {
      await find(`https://host.example/${n}`)
      await find()
    }
    const used = fetched.filter((address) => address === 'https://host.example/keys')
    expect(used).toHaveLength(1)
    await find('https://host.example/0')
    expect(fetched.filter((address) => address === 'https://host.example/0')).toHaveLength(2)
  })

  test('are read over https, and over http from a host that the operator lists', async () => {
    await expect(find('http://host.example/keys')).rejects.toThrow('https')
    expect(fetched).toEqual([])
    expect(await find('http://keys.internal/keys')).toHaveProperty('type', 'public')
  })
})
