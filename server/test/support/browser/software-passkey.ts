import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** What the service's page passes to the browser; only the challenge is read. */
export interface Ceremony {
  readonly challenge: string
}

/** What a dishonest browser or device says in place of the truth. */
export interface Lies {
  readonly origin?: string
  readonly relyingParty?: string
  readonly type?: string
  readonly challenge?: string
  readonly flags?: number
  readonly signCount?: number
  /** Signs with the key of another passkey. */
  readonly key?: KeyObject
  /** The id of another passkey. */
  readonly id?: string
}

/** An authenticator and its browser, without either: it answers the ceremonies of WebAuthn. */
export interface SoftwarePasskey {
  readonly id: string
  readonly privateKey: KeyObject
  create(ceremony: Ceremony, lies?: Lies): string
  use(ceremony: Ceremony, lies?: Lies): string
}

/** Flags of authenticator data (WebAuthn §6.1). */
export const userPresent = 0x01
export const userVerified = 0x04
const attested = 0x40

/** @param origin of the page, such as `https://parley.example` */
export function createSoftwarePasskey(origin: string): SoftwarePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(32)
  const id = credential.toString('base64url')
  let uses = 0

  const clientData = (type: string, { challenge }: Ceremony, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authenticatorData = (flags: number, lies: Lies) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lies.signCount ?? (uses += 1))
    const party = lies.relyingParty ?? new URL(origin).hostname
    return Buffer.concat([sha256(party), Buffer.from([lies.flags ?? flags]), counter])
  }
  const answer = (response: object, lies: Lies) => {
    const given = lies.id ?? id
    return JSON.stringify({
      id: given,
      rawId: given,
      type: 'public-key',
      response,
      clientExtensionResults: {},
    })
  }

  return {
    id,
    privateKey,
    create(ceremony, lies = {}) {
      const data = Buffer.concat([
        authenticatorData(userPresent | userVerified | attested, lies),
        Buffer.alloc(16),
        Buffer.from([0, credential.length]),
        credential,
        coseKey(publicKey),
      ])
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(data)],
        ]) as Parameters<typeof isoCBOR.encode>[0], // Its type lists no `unknown`.
      )
      return answer(
        {
          clientDataJSON: clientData('webauthn.create', ceremony, lies).toString('base64url'),
          attestationObject: Buffer.from(attestation).toString('base64url'),
          transports: ['internal'],
        },
        lies,
      )
    },
    use(ceremony, lies = {}) {
      const client = clientData('webauthn.get', ceremony, lies)
      const data = authenticatorData(userPresent | userVerified, lies)
      const signature = sign(
        'sha256',
        Buffer.concat([data, sha256(client)]),
        lies.key ?? privateKey,
      )
      return answer(
        {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
        lies,
      )
    },
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** An ES256 key in COSE (RFC 9053 §7.1.1). */
function coseKey(key: KeyObject): Uint8Array {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  )
}
